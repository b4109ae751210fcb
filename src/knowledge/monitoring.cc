// Algorithm KnowledgeVector (seed 003, section 2.3), one function for each kind of event.
#include "knowledge/monitoring.h"

#include <cstring>
#include <new>

#include "knowledge/evaluate.h"

namespace sooth::knowledge {
namespace {

constexpr std::size_t kBlockWords = 3; // the entry that it is in, entries so far, depth
constexpr std::size_t kThreadHeader = (sizeof(Thread) + sizeof(Word) - 1) / sizeof(Word);

// Seed 003: the second bullet of step (1). The thread's event has happened and its vector is merged.
Outcome judge(const Setup& setup, Thread& thread) {
  ++thread.sequence;
  // Nothing that a formula sees is new, and operators that look one state back have caught up: all is as it was.
  if (!thread.news && thread.settled >= setup.settle) return {thread.violated, 0};
  thread.settled = thread.news ? 0 : thread.settled + 1;
  thread.news = false;
  const Word violated = evaluate(setup, thread);
  const Outcome outcome{violated, violated & ~thread.violated};
  thread.violated = violated;
  return outcome;
}

// What the present event accesses, as far as some formula can see it.
void set_access(const Setup& setup, Thread& thread, std::uint32_t variable, std::uint8_t bits) {
  if (!setup.sees_accesses_of(variable)) {
    variable = kNoVariable;
    bits = 0;
  }
  if (variable == thread.access_variable && bits == thread.access_bits) return;
  thread.access_variable = variable;
  thread.access_bits = bits;
  thread.news = true;
}

Outcome silent(const Setup& setup, Thread& thread) {
  set_access(setup, thread, kNoVariable, 0);
  return judge(setup, thread);
}

void learn(const Setup& setup, Thread& thread, const Word* vector) {
  const News news = merge(setup.layout, thread.vector, vector);
  thread.stamp += news.any ? 1 : 0;
  thread.news |= news.visible;
}
void see(const Setup& setup, Thread& thread, const Carrier& carrier, const Word* vector) {
  if (carrier.known_to != thread.identity) learn(setup, thread, vector);
}

// The thread knows of one more write of the variable.
void set_variable(Thread& thread, std::uint32_t variable, std::uint64_t value) {
  const std::size_t at = Layout::variable_at(variable);
  ++thread.vector[at];
  ++thread.stamp;
  if (thread.vector[at + 1] == value) return;
  thread.vector[at + 1] = value;
  thread.news = true;
}

// The carrier has all that the thread knows.
bool is_left(const Thread& thread, const Carrier& carrier) {
  return carrier.known_to == thread.identity && carrier.stamp == thread.stamp;
}
void note_left(const Thread& thread, Carrier& carrier) {
  carrier.known_to = thread.identity;
  carrier.stamp = thread.stamp;
}

// What was read is not what was last written: code that nobody watches wrote it, at some time before this.
void notice_unseen_write(const Setup& setup, Thread& thread, Carrier& carrier, std::uint32_t variable,
                         std::uint64_t value) {
  const std::size_t at = Layout::variable_at(variable);
  if (thread.vector[at + 1] == value) return;
  set_variable(thread, variable, value);
  if (carrier.has_writes == 0) {
    copy(setup.layout, carrier.writes(), setup.initial);
    carrier.has_writes = 1;
  }
  carrier.writes()[at] = thread.vector[at];
  carrier.writes()[at + 1] = value;
}

Outcome write_as(const Setup& setup, Thread& thread, Carrier& carrier, std::uint32_t variable, std::uint64_t value,
                 std::uint8_t bits) {
  if (carrier.has_accesses != 0) see(setup, thread, carrier, carrier.accesses(setup.layout));
  else if (carrier.has_writes != 0) see(setup, thread, carrier, carrier.writes());
  if (variable < setup.layout.variables) set_variable(thread, variable, value);
  set_access(setup, thread, variable, bits);
  const Outcome outcome = judge(setup, thread);
  if (carrier.has_writes != 0 && carrier.has_accesses == 0 && is_left(thread, carrier)) return outcome;
  copy(setup.layout, carrier.writes(), thread.vector);
  carrier.has_writes = 1;
  carrier.has_accesses = 0;
  note_left(thread, carrier);
  return outcome;
}

// Not strcmp: in a program, that is one of the functions that the runtime follows.
bool same_text(const char* a, const char* b) {
  while (*a != 0 && *a == *b) ++a, ++b;
  return *a == *b;
}

std::uint32_t find_name(const Compiled& compiled, const std::uint32_t* names, std::uint32_t count, const char* name) {
  for (std::uint32_t i = 0; i < count; ++i)
    if (same_text(compiled.string(names[i]), name)) return i;
  return kNoVariable;
}

} // namespace

const char* Setup::open(const void* block, std::size_t bytes, std::uint32_t places) {
  if (const char* wrong = open_compiled(block, bytes, compiled)) return wrong;
  ranges = false;
  for (std::uint32_t i = 0; i < compiled.section_count(); ++i) ranges |= compiled.sections[i].loop != Loop::None;
  if (!layout.make(compiled, ranges ? places : 0)) return "that many threads are too many for these monitors";
  memory_words = knowledge::memory_words(compiled, layout);
  settle = 0;
  for (std::uint32_t i = 0; i < compiled.header->nodes.count; ++i)
    settle += compiled.nodes[i].kind == NodeKind::Temporal && compiled.nodes[i].op <= TemporalOp::End ? 1 : 0;
  for (std::uint32_t i = 0; i < compiled.header->code.count; ++i)
    if (const Instruction& in = compiled.code[i]; in.op == Op::Accessed && in.operand >> 8 < 64 * 64)
      accesses_seen[in.operand >> 14] |= Word{1} << (in.operand >> 8) % 64;
  return nullptr;
}

std::size_t Setup::thread_words() const {
  return kThreadHeader + layout.words + compiled.local_count() + kBlockWords * compiled.block_count() +
         compiled.header->registers + memory_words;
}

void Setup::begin(Word* memory, const std::uint64_t* values) {
  initial = memory;
  std::memset(initial, 0, layout.words * sizeof(Word));
  initial[0] = 1;
  for (std::uint32_t i = 0; i < layout.variables; ++i) initial[Layout::variable_at(i) + 1] = values[i];
  // Every remote expression in a state in which nobody has done anything: a thread that nobody is evaluates them all.
  Thread* nobody = make_thread(*this, memory + layout.words, 0, kNoPlace);
  nobody->identity = 0;
  nobody->classes = ~Word{0};
  nobody->classes &= Word{1} << kAllThreads | ((Word{1} << compiled.role_count()) - 1);
  nobody->vector = initial;
  evaluate(*this, *nobody);
}

Thread* make_thread(const Setup& setup, Word* memory, std::uint32_t number, std::uint32_t place) {
  std::memset(memory, 0, setup.thread_words() * sizeof(Word));
  Thread* thread = new (memory) Thread;
  thread->identity = Word{number} + 1;
  thread->place = setup.ranges ? place : kNoPlace;
  thread->classes = Word{1} << kAllThreads;
  Word* next = memory + kThreadHeader;
  const auto take = [&next](std::size_t words) {
    Word* taken = next;
    next += words;
    return taken;
  };
  const Compiled& compiled = setup.compiled;
  thread->vector = take(setup.layout.words);
  thread->locals = take(compiled.local_count());
  thread->blocks = take(kBlockWords * compiled.block_count());
  thread->registers = take(compiled.header->registers);
  thread->memory = take(setup.memory_words);
  copy(setup.layout, thread->vector, setup.initial);
  for (std::uint32_t r = 0; r < compiled.role_count(); ++r)
    if (compiled.roles[r].kind == RoleKind::Number && compiled.roles[r].number == number)
      thread->classes |= Word{1} << r;
  return thread;
}

Outcome read(const Setup& setup, Thread& thread, Carrier& carrier, std::uint32_t variable, std::uint64_t value,
             bool atomic) {
  if (carrier.has_writes != 0) see(setup, thread, carrier, carrier.writes());
  if (variable < setup.layout.variables) notice_unseen_write(setup, thread, carrier, variable, value);
  set_access(setup, thread, variable, atomic ? kAtomicRead : kPlainRead);
  const Outcome outcome = judge(setup, thread);
  // A vector of accesses that is not in use is that of writes.
  if ((carrier.has_writes != 0 || carrier.has_accesses != 0) && is_left(thread, carrier)) return outcome;
  Word* accesses = carrier.accesses(setup.layout);
  if (carrier.has_accesses != 0 && carrier.known_to != thread.identity) {
    merge(setup.layout, accesses, thread.vector);
    carrier.known_to = 0;
  } else {
    // Nothing is there that the thread does not know.
    copy(setup.layout, accesses, thread.vector);
    note_left(thread, carrier);
  }
  carrier.has_accesses = 1;
  return outcome;
}

Outcome write(const Setup& setup, Thread& thread, Carrier& carrier, std::uint32_t variable, std::uint64_t value,
              bool atomic) {
  return write_as(setup, thread, carrier, variable, value, atomic ? kAtomicWrite : kPlainWrite);
}

Outcome update(const Setup& setup, Thread& thread, Carrier& carrier, std::uint32_t variable, std::uint64_t value,
               bool atomic) {
  return write_as(setup, thread, carrier, variable, value,
                  atomic ? kAtomicRead | kAtomicWrite : kPlainRead | kPlainWrite);
}

Outcome internal(const Setup& setup, Thread& thread, std::uint32_t local, std::int64_t value) {
  if (local >= setup.compiled.local_count()) return {thread.violated, 0};
  thread.news |= thread.locals[local] != static_cast<Word>(value);
  thread.locals[local] = static_cast<Word>(value);
  return silent(setup, thread);
}

Outcome block_begin(const Setup& setup, Thread& thread, std::uint32_t block) {
  if (block >= setup.compiled.block_count()) return {thread.violated, 0};
  Word* words = thread.blocks + kBlockWords * block;
  if (words[2]++ == 0) {
    words[0] = ++words[1];
    thread.news = true;
  }
  return silent(setup, thread);
}

Outcome block_end(const Setup& setup, Thread& thread, std::uint32_t block) {
  if (block >= setup.compiled.block_count()) return {thread.violated, 0};
  Word* words = thread.blocks + kBlockWords * block;
  if (words[2] != 0 && --words[2] == 0) {
    words[0] = 0;
    thread.news = true;
  }
  return silent(setup, thread);
}

void take_function(const Setup& setup, Thread& thread, const char* plain_name) {
  const Compiled& compiled = setup.compiled;
  for (std::uint32_t r = 0; r < compiled.role_count(); ++r)
    if (compiled.roles[r].kind == RoleKind::Function &&
        same_text(compiled.string(compiled.roles[r].name), plain_name)) {
      thread.classes |= Word{1} << r;
      thread.news = true;
    }
}

Outcome take_name(const Setup& setup, Thread& thread, const char* name) {
  const Compiled& compiled = setup.compiled;
  for (std::uint32_t r = 0; r < compiled.role_count(); ++r) {
    if (compiled.roles[r].kind != RoleKind::Name) continue;
    const Word bit = Word{1} << r;
    if (same_text(compiled.string(compiled.roles[r].name), name)) thread.classes |= bit;
    else thread.classes &= ~bit, thread.begun &= ~bit;
  }
  thread.news = true;
  return silent(setup, thread);
}

Outcome fork(const Setup& setup, Thread& creator, Thread& child) {
  const Outcome outcome = silent(setup, creator);
  copy(setup.layout, child.vector, creator.vector);
  ++child.stamp;
  child.news = true;
  return outcome;
}

Outcome start(const Setup& setup, Thread& thread) { return silent(setup, thread); }
Outcome end(const Setup& setup, Thread& thread) { return silent(setup, thread); }

Outcome join(const Setup& setup, Thread& joiner, const Thread& ended) {
  learn(setup, joiner, ended.vector);
  const Outcome outcome = silent(setup, joiner);
  // In the state of the join itself, formulas still range over it.
  if (ended.place != kNoPlace) {
    Word* row = joiner.vector + setup.layout.row_at(ended.place + 1);
    if (row[kOwner] == ended.identity) {
      row[kSequence] |= kGone;
      ++joiner.stamp;
      joiner.news = true;
    }
  }
  return outcome;
}

std::uint32_t find_local(const Compiled& compiled, const char* name) {
  return find_name(compiled, compiled.locals, compiled.local_count(), name);
}
std::uint32_t find_block(const Compiled& compiled, const char* name) {
  return find_name(compiled, compiled.blocks, compiled.block_count(), name);
}

} // namespace sooth::knowledge
