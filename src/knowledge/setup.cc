// What all threads share, made once: the layout of vectors, the sections that need not always be
// evaluated, the first vector; and how a thread's memory is divided.
#include <cstring>
#include <new>

#include "knowledge/evaluate.h"

namespace sooth::knowledge {
namespace {

constexpr std::size_t kThreadHeader = (sizeof(Thread) + sizeof(Word) - 1) / sizeof(Word);

// A result is as new as the inputs of the section that made it: results come from the same section
// or from earlier ones.
std::uint8_t needs_of_result(const Setup& setup, std::uint32_t before, std::uint64_t result) {
  const Compiled& compiled = setup.compiled;
  std::uint8_t needs = 0;
  for (std::uint32_t i = 0; i < before; ++i) {
    const SectionRow& section = compiled.sections[i];
    bool made_here = section.loop != Loop::None && section.to == result;
    for (std::uint32_t k = 0; k < section.nodes; ++k) {
      const NodeRow& node = compiled.nodes[section.first_node + k];
      made_here = made_here || (node.kind <= NodeKind::Temporal && node.to == result);
    }
    if (made_here) needs |= setup.needs[i];
  }
  return needs;
}

std::uint8_t needs_of(const Setup& setup, std::uint32_t section, const Instruction& in) {
  if (in.op > kLastLeaf || in.op == Op::Constant) return 0;
  if (in.op == Op::Result) return needs_of_result(setup, section, in.operand);
  if (in.op == Op::ThreadValue || in.op == Op::ThreadOfSelf) return kRowNews;
  return in.op == Op::RoleOfOther ? kRowNews | kOtherNews : kOtherNews;
}

void find_needs(Setup& setup, std::uint32_t number) {
  const Compiled& compiled = setup.compiled;
  const SectionRow& section = compiled.sections[number];
  std::uint8_t needs = section.loop == Loop::None ? 0 : kRowNews; // which threads there are
  if (section.temporal != 0) needs |= kAlways;
  for (std::uint32_t k = 0; k < section.nodes; ++k) {
    const NodeRow& node = compiled.nodes[section.first_node + k];
    if (node.kind == NodeKind::Compute) {
      for (std::uint32_t c = 0; c < node.b; ++c) needs |= needs_of(setup, number, compiled.code[node.a + c]);
      continue;
    }
    needs |= needs_of_result(setup, number, node.a);
    if (node.kind == NodeKind::Temporal) needs |= kAlways | needs_of_result(setup, number, node.b);
    if (node.kind == NodeKind::Judge) setup.judges[number] |= Word{1} << node.to;
  }
  setup.needs[number] = needs != 0 ? needs : std::uint8_t{kOtherNews}; // constants, once
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
  sort_sections(*this);
  for (std::uint32_t i = 0; i < compiled.header->code.count; ++i)
    if (const Instruction& in = compiled.code[i]; in.op == Op::Accessed && in.operand >> 8 < 64 * 64)
      accesses_seen[in.operand >> 14] |= Word{1} << (in.operand >> 8) % 64;
  return nullptr;
}

std::size_t Setup::thread_words() const {
  return kThreadHeader + compiled.local_count() + kBlockWords * compiled.block_count() + compiled.header->registers +
         memory_words + (compiled.variable_count() + 1) / 2 + layout.words;
}

void Setup::begin(Word* memory, const std::uint64_t* values) {
  initial = memory;
  std::memset(initial, 0, layout.words_for(1) * sizeof(Word));
  initial[0] = 1;
  for (std::uint32_t i = 0; i < layout.variables; ++i) initial[Layout::variable_at(i) + 1] = values[i];
  // Every remote expression in a state in which no thread has done anything: an artificial thread
  // evaluates them all.
  Thread* nobody = make_thread(*this, memory + layout.words_for(1), 0, kNoPlace);
  nobody->identity = 0;
  nobody->classes = ~Word{0};
  nobody->classes &= Word{1} << kAllThreads | ((Word{1} << compiled.role_count()) - 1);
  nobody->vector = initial;
  evaluate(*this, *nobody);
}

Thread* make_thread(const Setup& setup, Word* memory, std::uint32_t number, std::uint32_t place) {
  // All but the vector, of which only what is in use is touched.
  std::memset(memory, 0, (setup.thread_words() - setup.layout.words) * sizeof(Word));
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
  thread->locals = take(compiled.local_count());
  thread->blocks = take(kBlockWords * compiled.block_count());
  thread->registers = take(compiled.header->registers);
  thread->memory = take(setup.memory_words);
  thread->accessed = reinterpret_cast<std::uint32_t*>(take((compiled.variable_count() + 1) / 2));
  thread->vector = take(setup.layout.words);
  copy(setup.layout, thread->vector, setup.initial);
  for (std::uint32_t r = 0; r < compiled.role_count(); ++r)
    if (compiled.roles[r].kind == RoleKind::Number && compiled.roles[r].number == number)
      thread->classes |= Word{1} << r;
  return thread;
}

void sort_sections(Setup& setup) {
  const Compiled& compiled = setup.compiled;
  setup.lazy_sections = setup.row_only = 0;
  for (std::uint32_t i = 0; i < compiled.section_count() && i < 64; ++i) find_needs(setup, i);
  for (std::uint32_t i = 0; i < compiled.section_count(); ++i) {
    const SectionRow& section = compiled.sections[i];
    if (section.loop == Loop::None || section.temporal != 0) continue;
    bool computes_only = true, of_row_only = true;
    for (std::uint32_t k = 0; k < section.nodes; ++k) {
      const NodeRow& node = compiled.nodes[section.first_node + k];
      computes_only = computes_only && node.kind == NodeKind::Compute;
      if (node.kind == NodeKind::Store) { // of what was computed here
        bool here = false;
        for (std::uint32_t c = 0; c < k; ++c) {
          const NodeRow& before = compiled.nodes[section.first_node + c];
          here = here || (before.kind == NodeKind::Compute && before.to == node.a);
        }
        of_row_only = of_row_only && here;
      }
      for (std::uint32_t c = 0; node.kind == NodeKind::Compute && c < node.b; ++c) {
        const Op op = compiled.code[node.a + c].op;
        of_row_only = of_row_only && (op > kLastLeaf || op == Op::Constant || op == Op::ThreadValue);
      }
    }
    if (section.loop == Loop::Store) {
      if (of_row_only && section.without_self == 0 && i < 64) setup.row_only |= Word{1} << i;
    } else if (computes_only && section.to < 64 && i < 64) {
      setup.lazy_sections |= Word{1} << i;
      setup.needs[i] = kAlways; // it may have been left out before
      setup.lazy_section[section.to] = i;
    }
  }
}

std::size_t memory_words(const Compiled& compiled, const Layout& layout) {
  std::size_t words = 0;
  for (std::uint32_t i = 0; i < compiled.section_count(); ++i)
    if (compiled.sections[i].temporal != 0)
      words += compiled.sections[i].loop == Loop::None ? 1 : 2 * (std::size_t{layout.places} + 1);
  return words + 1; // one that sections without memory are given
}

} // namespace sooth::knowledge
