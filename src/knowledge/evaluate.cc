// Question: which remote expressions, formulas and monitors have which value in the thread's
//   predicted state?
// Source: DAME, Table 1 and section 2.3. One bit for each temporal operator.
// Where we differ: Table 1 is misprinted for "always in the past": its right side must speak of s',
//   not of s. Sections that loop have such a bit for each thread they range over. A thread that was
//   not known before has done nothing, and begins with the bits of row 0, which stands for all
//   those. A thread that takes a role later in its life has no earlier states in it.
// Cost: linear in the code of the thread's classes; sections that loop, times the threads known.
#include "knowledge/evaluate.h"

namespace sooth::knowledge {
namespace {

class Evaluation {
public:
  Evaluation(const Setup& setup, const Thread& thread)
      : setup_(setup), layout_(setup.layout), thread_(thread), vector_(thread.vector), others_(thread.vector) {}

  // The thread that a loop is at, as its row and entry.
  void at_row(std::uint32_t row) {
    row_ = row;
    // An unknown thread is as all threads are at the start.
    others_ = row == 0 ? setup_.initial : vector_;
    other_ = others_ + layout_.row_at(row);
  }
  const Word* other() const { return other_; }
  std::uint32_t row() const { return row_; }

  Register leaf(const Instruction& in) const {
    const Compiled& c = setup_.compiled;
    switch (in.op) {
    case Op::Load:
      return load_scalar(vector_[Layout::variable_at(static_cast<std::uint32_t>(in.operand)) + 1],
                         c.variables[in.operand].layout);
    case Op::Local: return thread_.locals[in.operand];
    case Op::Block: return thread_.blocks[kBlockWords * in.operand];
    case Op::Accessed:
      if ((thread_.access_bits & in.operand & 0xff) == 0) return 0;
      for (std::uint32_t i = 0; i < thread_.accessed_count; ++i)
        if (thread_.accessed[i] == in.operand >> 8) return 1;
      return 0;
    case Op::Result: return thread_.registers[in.operand];
    case Op::RoleValue: return role_entry(in)[kValues + value_of(in)];
    case Op::RoleOfSelf: return about_role(in.operand >> 32, own_row(), thread_.identity, value_of(in));
    case Op::RoleOfOther: return about_role(in.operand >> 32, row_, other_[kOwner], value_of(in));
    case Op::ThreadValue: return other_[kValues + in.operand];
    case Op::ThreadOfSelf: return about_row(own_row(), thread_.identity, value_of(in));
    default: return 0;
    }
  }

private:
  static std::size_t value_of(const Instruction& in) { return in.operand & 0xffffffff; }
  const Word* role_entry(const Instruction& in) const { return vector_ + layout_.role[in.operand >> 32].at; }
  std::size_t own_row() const { return thread_.place == kNoPlace ? 0 : std::size_t{thread_.place} + 1; }

  // What an entry says about the thread in a row; if the entry means another thread, what it says
  // of unknown ones.
  Register about_role(std::size_t role, std::size_t row, Word owner, std::size_t value) const {
    const Word* told = vector_ + layout_.role_pair_at(role, row < vector_[0] ? row : 0);
    if (row >= vector_[0] || told[0] != owner) told = vector_ + layout_.role_pair_at(role, 0);
    return told[1 + value];
  }
  Register about_row(std::size_t row, Word owner, std::size_t value) const {
    const Word* told = others_ + layout_.pair_at(row_, row < others_[0] ? row : 0);
    if (row >= others_[0] || told[0] != owner) told = others_ + layout_.pair_at(row_, 0);
    return told[1 + value];
  }

  const Setup& setup_;
  const Layout& layout_;
  const Thread& thread_;
  const Word* vector_;
  const Word* others_; // the vector that the row of the loop's thread is in
  const Word* other_ = nullptr;
  std::uint32_t row_ = 0;
};

bool temporal(const NodeRow& node, bool a, bool b, bool first, Word& remembered) {
  const Word bit = Word{1} << node.bit;
  const bool before = (remembered & bit) != 0;
  bool value = false, kept = false;
  switch (node.op) {
  // In the first state, the state before counts as the same.
  case TemporalOp::Previously: value = first ? a : before, kept = a; break;
  case TemporalOp::Start: value = !first && a && !before, kept = a; break;
  case TemporalOp::End: value = !first && !a && before, kept = a; break;
  case TemporalOp::Once: kept = value = a || (!first && before); break;
  case TemporalOp::Historically: kept = value = a && (first || before); break;
  case TemporalOp::SinceStrong: kept = value = b || (a && !first && before); break;
  case TemporalOp::SinceWeak: kept = value = b || (a && (first || before)); break;
  case TemporalOp::IntervalStrong: kept = value = !b && (a || (!first && before)); break;
  case TemporalOp::IntervalWeak: kept = value = !b && (a || first || before); break;
  }
  remembered = kept ? remembered | bit : remembered & ~bit;
  return value;
}

class Walk {
public:
  Walk(const Setup& setup, Thread& thread)
      : setup_(setup), compiled_(setup.compiled), layout_(setup.layout), thread_(thread), state_(setup, thread) {}

  Word run() {
    sign_entries();
    news_ |= thread_.news;
    Word* memory = thread_.memory;
    for (std::uint32_t i = 0; i < compiled_.section_count(); ++i) {
      const SectionRow& section = compiled_.sections[i];
      const bool mine = (thread_.classes >> section.of_class & 1) != 0;
      if (mine && i < 64 && (setup_.needs[i] & (news_ | kAlways)) == 0) {
        violated_ |= thread_.violated & setup_.judges[i]; // as it was; nothing of it is remembered
        continue;
      }
      first_ = (thread_.begun >> section.of_class & 1) == 0;
      if (mine && section.loop == Loop::None) nodes(section, *memory, nullptr, 0);
      else if (mine && i < 64 && (setup_.lazy_sections >> i & 1) != 0) pending_ |= Word{1} << section.to;
      else if (mine && i < 64 && (setup_.row_only >> i & 1) != 0 && thread_.vector[0] <= 64) loop_changed(section);
      else if (mine) loop(section, memory);
      memory += section.temporal == 0 ? 0 : section.loop == Loop::None ? 1 : 2 * (std::size_t{layout_.places} + 1);
    }
    thread_.begun |= thread_.classes;
    thread_.changed_rows = 0;
    if (stored_) date_entries();
    return violated_;
  }

private:
  // If an entry was another thread's, its statements about others are forgotten: `pairs` words for
  // each row, at `at(row)`.
  template <typename At>
  void sign(Word* entry, std::uint32_t pairs, At at) {
    if (entry[kOwner] == thread_.identity) return;
    if (pairs != 0)
      for (std::size_t r = 1; r < thread_.vector[0]; ++r) thread_.vector[at(r)] = 0;
    stored_ = true;
    news_ = kAllNews;
    thread_.changed_rows = ~Word{0}; // none of them has been processed yet
    entry[kOwner] = thread_.identity;
    entry[kSequence] = thread_.sequence; // at once: the thread that was here before may be marked as gone
  }
  // Its entries are newer than those of others only if something in them changed. So most events
  // are not news for any thread.
  void date_entries() {
    thread_.changed = true;
    if (own_row_ != nullptr) own_row_[kSequence] = thread_.sequence;
    for (Word left = thread_.classes & ~(Word{1} << kAllThreads); left != 0; left &= left - 1)
      if (Word* entry = own_entry(static_cast<std::uint32_t>(std::countr_zero(left))))
        entry[kSequence] = thread_.sequence;
  }

  // Where this thread's own values go: its row, and the roles in which no later thread is known of.
  void sign_entries() {
    Word* vector = thread_.vector;
    if (setup_.ranges && (thread_.place != kNoPlace || thread_.identity == 0)) {
      own_row_number_ = thread_.identity == 0 ? 0 : std::size_t{thread_.place} + 1;
      if (vector[0] <= own_row_number_) {
        grow(layout_, vector, own_row_number_ + 1);
        stored_ = true;
        news_ = kAllNews;
      }
      own_row_ = vector + layout_.row_at(own_row_number_);
      sign(own_row_, layout_.pair, [this](std::size_t r) { return layout_.pair_at(own_row_number_, r); });
    }
    for (Word left = thread_.classes & ~(Word{1} << kAllThreads); left != 0; left &= left - 1) {
      const auto role = static_cast<unsigned>(std::countr_zero(left));
      Word* entry = vector + layout_.role[role].at;
      if (entry[kOwner] <= thread_.identity)
        sign(entry, layout_.role[role].about, [this, role](std::size_t r) { return layout_.role_pair_at(role, r); });
    }
  }

  Word* own_entry(std::uint32_t of_class) {
    if (of_class == kAllThreads) return own_row_;
    Word* entry = thread_.vector + layout_.role[of_class].at;
    return entry[kOwner] == thread_.identity ? entry : nullptr;
  }

  // In place: most sections have one node or two.
  __attribute__((always_inline)) void nodes(const SectionRow& section, Word& memory, const Word* other,
                                            std::uint32_t row) {
    for (std::uint32_t k = 0; k < section.nodes; ++k) {
      const NodeRow& node = compiled_.nodes[section.first_node + k];
      switch (node.kind) {
      case NodeKind::Compute: thread_.registers[node.to] = computed(compiled_.code + node.a, node.b); break;
      case NodeKind::Temporal:
        thread_.registers[node.to] = temporal(node, result(node.a) != 0, result(node.b) != 0, first_, memory);
        break;
      case NodeKind::Store: store(section, node, other, row); break;
      case NodeKind::Judge:
        if (result(node.a) == 0) violated_ |= Word{1} << node.to;
        break;
      }
    }
  }

  // Most code is one operand, or compares two numbers: no stack is needed for those.
  Register computed(const Instruction* code, std::size_t count) {
    if (count == 1) return operand(code[0]);
    if (count == 3 && code[1].op <= kLastLeaf && code[2].op == Op::Equal && code[2].kind != ScalarKind::Float)
      return operand(code[0]) == operand(code[1]) ? 1 : 0;
    return computed_on_stack(code, count);
  }
  // Apart, so that the stack is not set up for the others.
  __attribute__((noinline)) Register computed_on_stack(const Instruction* code, std::size_t count) {
    return knowledge::run(code, count, [this](const Instruction& in) { return operand(in); }, &thread_.faults);
  }
  // The frequent ones first.
  Register operand(const Instruction& in) {
    switch (in.op) {
    case Op::Constant: return in.operand;
    case Op::Block: return thread_.blocks[kBlockWords * in.operand];
    case Op::ThreadValue: return state_.other()[kValues + in.operand];
    case Op::Result: return result(in.operand);
    default: return state_.leaf(in);
    }
  }
  Register result(std::uint64_t of) {
    if (of < 64 && (pending_ >> of & 1) != 0) catch_up(static_cast<std::uint32_t>(of));
    return thread_.registers[of];
  }
  // The value of a lazy loop is needed; perhaps in the middle of another loop.
  __attribute__((noinline)) void catch_up(std::uint32_t to) {
    pending_ &= ~(Word{1} << to);
    const std::uint32_t row = state_.row();
    loop(compiled_.sections[setup_.lazy_section[to]], thread_.memory);
    state_.at_row(row);
  }

  void store(const SectionRow& section, const NodeRow& node, const Word* other, std::uint32_t row) {
    Word* entry = own_entry(section.of_class);
    if (entry == nullptr) return;
    if (section.loop == Loop::None) {
      keep(entry[kValues + node.to], result(node.a));
      return;
    }
    Word* told = thread_.vector + (section.of_class == kAllThreads ? layout_.pair_at(own_row_number_, row)
                                                                   : layout_.role_pair_at(section.of_class, row));
    keep(told[0], other[kOwner]);
    keep(told[1 + node.to], result(node.a));
  }
  void keep(Word& place, Word value) {
    if (place == value) return;
    stored_ = true;
    news_ |= kRowNews | kOtherNews; // to sections that look it up
    place = value;
  }

  // Only what has changed; its own row changes without a notice.
  void loop_changed(const SectionRow& section) {
    const Word in_use = thread_.vector[0] == 64 ? ~Word{0} : (Word{1} << thread_.vector[0]) - 1;
    Word nothing = 0;
    for (Word left = (thread_.changed_rows | Word{stored_} << own_row_number_) & in_use; left != 0; left &= left - 1) {
      const auto row = static_cast<std::uint32_t>(std::countr_zero(left));
      state_.at_row(row);
      const Word* other = state_.other();
      if (row == 0 || (other[kOwner] != 0 && (other[kSequence] & kGone) == 0)) nodes(section, nothing, other, row);
    }
  }

  // Remembered: one word for each row, and then whose it is.
  void loop(const SectionRow& section, Word* memory) {
    Word* whose = memory + layout_.places + 1;
    const bool all = section.loop == Loop::Forall;
    bool holds = all;
    Word nothing = 0;
    for (Word r = 1; r < thread_.vector[0]; ++r) {
      const auto row = static_cast<std::uint32_t>(r);
      state_.at_row(row);
      const Word* other = state_.other();
      if (other[kOwner] == 0 || (other[kSequence] & kGone) != 0) continue;
      if (section.without_self != 0 && other[kOwner] == thread_.identity) continue;
      Word& remembered = section.temporal == 0 ? nothing : memory[row];
      if (section.temporal != 0 && whose[row] != other[kOwner]) {
        whose[row] = other[kOwner];
        remembered = memory[0];
      }
      nodes(section, remembered, other, row);
      const bool value = section.loop != Loop::Store && thread_.registers[section.of] != 0;
      holds = all ? holds && value : holds || value;
    }
    // Last, so that a thread that is new this time began with what was remembered of unknown
    // threads before.
    if (section.temporal != 0 || section.loop == Loop::Store) {
      state_.at_row(0);
      nodes(section, section.temporal == 0 ? nothing : memory[0], state_.other(), 0);
    }
    if (section.loop != Loop::Store) thread_.registers[section.to] = holds;
  }

  const Setup& setup_;
  const Compiled& compiled_;
  const Layout& layout_;
  Thread& thread_;
  Evaluation state_;
  Word* own_row_ = nullptr;
  std::size_t own_row_number_ = 0;
  bool first_ = false;  // the class of the section has no state before this one
  bool stored_ = false; // something in its own entries changed
  std::uint8_t news_ = 0;
  Word pending_ = 0; // lazy registers that have not been asked for yet
  Word violated_ = 0;
};

} // namespace

Word evaluate(const Setup& setup, Thread& thread) { return Walk(setup, thread).run(); }

Register look_up(const Setup& setup, const Thread& thread, const Instruction& leaf, std::uint32_t row) {
  if (leaf.op == Op::Constant) return leaf.operand;
  Evaluation state(setup, thread);
  state.at_row(row);
  return state.leaf(leaf);
}

} // namespace sooth::knowledge
