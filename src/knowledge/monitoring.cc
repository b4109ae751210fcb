// Algorithm KnowledgeVector (DAME, section 2.3), one function for each kind of event.
#include "knowledge/monitoring.h"

#include "knowledge/evaluate.h"

namespace sooth::knowledge {
namespace {

// DAME: the second bullet of step (1). The thread's event has happened and its vector is merged.
Outcome judge(const Setup& setup, Thread& thread) {
  ++thread.sequence;
  thread.joined = 0;
  // Formulas see nothing new, and operators that look one state back have caught up: the result is
  // as before.
  if (thread.news == 0 && thread.settled >= setup.settle) return {thread.violated, 0};
  thread.settled = thread.news != 0 ? 0 : thread.settled + 1;
  const Word violated = evaluate(setup, thread);
  thread.news = 0;
  const Outcome outcome{violated, violated & ~thread.violated};
  thread.violated = violated;
  return outcome;
}

// The accesses of the present event that some formula can see.
void set_access(const Setup& setup, Thread& thread, const Touch* touches, std::size_t count, std::uint8_t bits) {
  std::uint32_t seen = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!setup.sees_accesses_of(touches[i].variable)) continue;
    if (seen >= thread.accessed_count || thread.accessed[seen] != touches[i].variable) thread.news |= kOtherNews;
    thread.accessed[seen++] = touches[i].variable;
  }
  if (seen == 0) bits = 0;
  if (seen == thread.accessed_count && bits == thread.access_bits) return;
  thread.accessed_count = seen;
  thread.access_bits = bits;
  thread.news |= kOtherNews;
}

Outcome silent(const Setup& setup, Thread& thread) {
  set_access(setup, thread, nullptr, 0, 0);
  return judge(setup, thread);
}

// --- snapshots -----------------------------------------------------------------------------------

Word& seen_at(Thread& thread, Word number) { return thread.seen[number % Thread::kRemembered]; }
bool has_seen(Thread& thread, const Snapshot& snapshot) {
  return (&snapshot == thread.snapshot && !thread.changed) || seen_at(thread, snapshot.number) == snapshot.number;
}

constexpr std::uint32_t kStock = 32;

// References are given back, sooner or later.
void give_back(const Setup& setup, Thread& thread, Snapshot* snapshot, std::uint32_t references) {
  if (snapshot == nullptr) return;
  for (std::uint32_t i = 0; i < thread.debt_count; ++i)
    if (thread.debts[i].to == snapshot) {
      thread.debts[i].references += references;
      return;
    }
  if (thread.debt_count == Thread::kDebts) settle_debts(setup, thread);
  ask_for_references(snapshot);
  thread.debts[thread.debt_count++] = {snapshot, references};
}
void change_own(const Setup& setup, Thread& thread, Snapshot* snapshot) {
  give_back(setup, thread, thread.snapshot, 1 + thread.stock);
  thread.snapshot = snapshot;
  thread.stock = snapshot != nullptr ? kStock : 0;
}
Snapshot* keep_own(Thread& thread) {
  if (thread.stock == 0) {
    SnapshotPool::keep(thread.snapshot, kStock);
    thread.stock = kStock;
  }
  --thread.stock;
  return thread.snapshot;
}

// All that the thread knows now; null if there is no memory.
Snapshot* own_snapshot(const Setup& setup, Thread& thread) {
  if (thread.snapshot != nullptr && !thread.changed) return thread.snapshot;
  // First the new one, which has been here for a while; then the old one is given up, and comes
  // back while others are used.
  Snapshot* own = setup.snapshots->make(thread.spares, thread.vector);
  if (own != nullptr) own->references += kStock; // nobody else has it yet
  change_own(setup, thread, own);
  if (own == nullptr) return nullptr;
  thread.changed = false;
  seen_at(thread, own->number) = own->number;
  return own;
}

// Whether the other one did not know something that the thread knew.
bool take_over(const Setup& setup, Thread& thread, const Word* vector) {
  const News news = merge(setup.layout, thread.vector, vector);
  thread.changed |= news.any;
  if (news.visible) thread.news |= kOtherNews;
  if (news.rows != 0) thread.news |= kRowNews;
  thread.changed_rows |= news.rows;
  return news.ahead;
}

void learn(const Setup& setup, Thread& thread, Snapshot& snapshot) {
  const bool ahead = take_over(setup, thread, snapshot.vector());
  seen_at(thread, snapshot.number) = snapshot.number;
  if (ahead) return;
  // They know the same now: the two share one, and nothing has to be left where it lies already.
  change_own(setup, thread, SnapshotPool::keep(&snapshot, 1 + kStock));
  thread.changed = false;
}

void see(const Setup& setup, Thread& thread, Snapshot* snapshot) {
  if (snapshot == nullptr || (snapshot == thread.snapshot && !thread.changed)) return;
  ask_for(setup.layout, snapshot, thread.vector[0]);
  if (!has_seen(thread, *snapshot)) learn(setup, thread, *snapshot);
}

void put(const Setup& setup, Thread& thread, Snapshot*& where, Snapshot* snapshot) {
  Snapshot* before = where;
  where = snapshot;
  give_back(setup, thread, before, 1);
}

// The thread knows of one more write of the variable.
void set_variable(Thread& thread, std::uint32_t variable, std::uint64_t value) {
  const std::size_t at = Layout::variable_at(variable);
  ++thread.vector[at];
  thread.changed = true;
  if (thread.vector[at + 1] == value) return;
  thread.vector[at + 1] = value;
  thread.news |= kOtherNews;
}

// The value read is not the value last written: code without hooks wrote it, at some time before
// this.
void notice_unseen_write(const Setup& setup, Thread& thread, Carrier& carrier, std::uint32_t variable,
                         std::uint64_t value) {
  const std::size_t at = Layout::variable_at(variable);
  if (thread.vector[at + 1] == value) return;
  set_variable(thread, variable, value);
  const Word* before = carrier.writes != nullptr ? carrier.writes->vector() : setup.initial;
  Snapshot* now = setup.snapshots->make(thread.spares, before);
  if (now == nullptr) return;
  now->vector()[at] = thread.vector[at];
  now->vector()[at + 1] = value;
  put(setup, thread, carrier.writes, now);
}

// --- accesses ------------------------------------------------------------------------------------

void leave_write(const Setup& setup, Thread& thread, Carrier& carrier) {
  Snapshot* own = own_snapshot(setup, thread);
  if (own == nullptr) return;
  if (carrier.accesses == own) { // it stays, in another place
    put(setup, thread, carrier.writes, own);
    carrier.accesses = nullptr;
    return;
  }
  if (carrier.writes != own) put(setup, thread, carrier.writes, keep_own(thread));
  if (carrier.accesses != nullptr) put(setup, thread, carrier.accesses, nullptr);
}

void leave_read(const Setup& setup, Thread& thread, Carrier& carrier) {
  Snapshot* own = own_snapshot(setup, thread);
  Snapshot* there = carrier.accesses;
  if (own == nullptr || there == own || (there == nullptr && carrier.writes == own)) return;
  if (there == nullptr || has_seen(thread, *there)) // nothing is there that the thread does not know
    return put(setup, thread, carrier.accesses, keep_own(thread));
  Word& covering = thread.covering[there->number % Thread::kRemembered];
  Word& what = thread.covering_what[there->number % Thread::kRemembered];
  if (covering == there->number && what == own->number) return;
  if (!covers(setup.layout, there->vector(), own->vector())) {
    const Word rows = there->vector()[0] > own->vector()[0] ? there->vector()[0] : own->vector()[0];
    Snapshot* both = setup.snapshots->make(thread.spares, there->vector(), rows);
    if (both == nullptr) return;
    merge(setup.layout, both->vector(), own->vector());
    put(setup, thread, carrier.accesses, both);
  }
  const Word number = carrier.accesses->number;
  thread.covering[number % Thread::kRemembered] = number;
  thread.covering_what[number % Thread::kRemembered] = own->number;
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

void settle_debts(const Setup& setup, Thread& thread) {
  for (std::uint32_t i = 0; i < thread.debt_count; ++i)
    setup.snapshots->release(thread.debts[i].to, &thread.spares, thread.debts[i].references);
  thread.debt_count = 0;
}

void release_thread(const Setup& setup, Thread& thread) {
  change_own(setup, thread, nullptr);
  settle_debts(setup, thread);
  thread.changed = true;
  setup.snapshots->give_up(thread.spares);
}

void reset_carrier(const Setup& setup, Carrier& carrier) {
  setup.snapshots->release(carrier.writes, nullptr);
  setup.snapshots->release(carrier.accesses, nullptr);
  carrier = {};
}

void copy_carrier(Carrier& to, const Carrier& from) {
  to.writes = from.writes != nullptr ? SnapshotPool::keep(from.writes) : nullptr;
  to.accesses = from.accesses != nullptr ? SnapshotPool::keep(from.accesses) : nullptr;
}

Outcome access(const Setup& setup, Thread& thread, Access kind, const Touch* touches, std::size_t count, bool atomic) {
  const bool reads = kind == Access::Read;
  for (std::size_t i = 0; i < count; ++i) {
    Carrier& carrier = *touches[i].carrier;
    const std::uint32_t variable = touches[i].variable;
    const bool valued = variable < setup.layout.variables;
    see(setup, thread, !reads && carrier.accesses != nullptr ? carrier.accesses : carrier.writes);
    if (valued && reads) notice_unseen_write(setup, thread, carrier, variable, touches[i].value);
    else if (valued) set_variable(thread, variable, touches[i].value);
  }
  constexpr std::uint8_t kPlain[] = {kPlainRead, kPlainWrite, kPlainRead | kPlainWrite};
  constexpr std::uint8_t kAtomic[] = {kAtomicRead, kAtomicWrite, kAtomicRead | kAtomicWrite};
  set_access(setup, thread, touches, count, (atomic ? kAtomic : kPlain)[static_cast<std::size_t>(kind)]);
  const Outcome outcome = judge(setup, thread);
  for (std::size_t i = 0; i < count; ++i) {
    if (reads) leave_read(setup, thread, *touches[i].carrier);
    else leave_write(setup, thread, *touches[i].carrier);
  }
  return outcome;
}

bool access_calmly(const Setup& setup, Thread& calm, Access kind, Carrier& carrier) {
  const auto knows = [&](const Snapshot* s) { return s == nullptr || has_seen(calm, *s); };
  if (kind == Access::Read) {
    if (!knows(carrier.writes) || !knows(carrier.accesses)) return false;
    leave_read(setup, calm, carrier);
  } else {
    if (!knows(carrier.accesses != nullptr ? carrier.accesses : carrier.writes)) return false;
    leave_write(setup, calm, carrier);
  }
  pass(calm);
  return true;
}

Outcome internal(const Setup& setup, Thread& thread, std::uint32_t local, std::int64_t value) {
  if (local >= setup.compiled.local_count()) return {thread.violated, 0};
  if (thread.locals[local] != static_cast<Word>(value)) thread.news |= kOtherNews;
  thread.locals[local] = static_cast<Word>(value);
  return silent(setup, thread);
}

Outcome block_begin(const Setup& setup, Thread& thread, std::uint32_t block) {
  if (block >= setup.compiled.block_count()) return {thread.violated, 0};
  Word* words = thread.blocks + kBlockWords * block;
  if (words[2]++ == 0) {
    words[0] = ++words[1];
    thread.news |= kOtherNews;
  }
  return silent(setup, thread);
}

Outcome block_end(const Setup& setup, Thread& thread, std::uint32_t block) {
  if (block >= setup.compiled.block_count()) return {thread.violated, 0};
  Word* words = thread.blocks + kBlockWords * block;
  if (words[2] == 1) {
    words[0] = 0;
    thread.news |= kOtherNews;
  }
  if (words[2] != 0) --words[2];
  return silent(setup, thread);
}

void take_function(const Setup& setup, Thread& thread, const char* plain_name) {
  const Compiled& compiled = setup.compiled;
  for (std::uint32_t r = 0; r < compiled.role_count(); ++r)
    if (compiled.roles[r].kind == RoleKind::Function &&
        same_text(compiled.string(compiled.roles[r].name), plain_name)) {
      thread.classes |= Word{1} << r;
      thread.news = kAllNews;
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
  thread.news = kAllNews;
  return silent(setup, thread);
}

Outcome fork(const Setup& setup, Thread& creator, Thread& child) {
  const Outcome outcome = silent(setup, creator);
  copy(setup.layout, child.vector, creator.vector);
  child.changed = true;
  child.news = kAllNews;
  child.changed_rows = ~Word{0};
  return outcome;
}

Outcome start(const Setup& setup, Thread& thread) { return silent(setup, thread); }
Outcome end(const Setup& setup, Thread& thread) { return silent(setup, thread); }

Outcome join(const Setup& setup, Thread& joiner, const Thread& ended) {
  take_over(setup, joiner, ended.vector);
  const Outcome outcome = silent(setup, joiner);
  joiner.joined = ended.identity;
  forget_thread(setup, joiner, ended); // after the state of the join itself, where formulas still range over it
  return outcome;
}

void forget_thread(const Setup& setup, Thread& thread, const Thread& other) {
  if (other.place == kNoPlace || other.place + Word{1} >= thread.vector[0]) return;
  Word* row = thread.vector + setup.layout.row_at(std::size_t{other.place} + 1);
  if (row[kOwner] != other.identity) return;
  row[kSequence] |= kGone;
  thread.changed = true;
  thread.news = kAllNews;
}

std::uint32_t find_local(const Compiled& compiled, const char* name) {
  return find_name(compiled, compiled.locals, compiled.local_count(), name);
}
std::uint32_t find_block(const Compiled& compiled, const char* name) {
  return find_name(compiled, compiled.blocks, compiled.block_count(), name);
}

} // namespace sooth::knowledge
