// Past-time linear temporal logic: does the formula hold in the present state of a run?
//
//     p since q     states:    {q} {p} {p} {} {p}
//                   holds:      1   1   1   0   0     one bit: the value in the state before
//
// Source: JMPaX, section 3 (Table 1, functions `init` and `eval`).
// Where we differ: two lines there are misprinted. Table 1 wants F1 of every state for strong
//   since; it must be only of the states after the one with F2, as the recursive definition beside
//   it says. The recursive definition of weak since has "n > 1 and" where its own `init`, and Table
//   1's "or always F1", need "n > 1 implies". We follow the recursive definitions so corrected;
//   tests/unit/logic_ptltl_test.cc holds both.
// Cost: one bit for each temporal operator, time linear in the formula for each state; formulas
//   with few atoms and bits are a table that is looked up.
#include <array>
#include <cassert>

#include "logic/formula.h"

namespace sooth::logic {

bool remembers(Operator op) {
  switch (op) {
  case Operator::Previously:
  case Operator::Once:
  case Operator::Historically:
  case Operator::Start:
  case Operator::End:
  case Operator::SinceStrong:
  case Operator::SinceWeak:
  case Operator::IntervalStrong:
  case Operator::IntervalWeak: return true;
  default: return false;
  }
}

namespace {

class PastMonitor final : public Monitor {
public:
  explicit PastMonitor(Formula formula) : formula_(std::move(formula)), bit_of_(formula_.size(), 0) {
    assert(!formula_.empty() && formula_.size() <= kMaxFormulaNodes);
    for (std::size_t i = 0; i < formula_.size(); ++i) {
      if (formula_[i].is_atom) atoms_ = std::max(atoms_, formula_[i].left + 1);
      else if (remembers(formula_[i].op)) bit_of_[i] = bits_++;
    }
    assert(bits_ <= kMaxTemporalBits && atoms_ <= kMaxAtoms);
    if (bits_ + atoms_ <= kTableBits) fill_table();
  }

  Verdict first(Letter letter) const override { return evaluate(true, 0, letter); }

  Verdict step(MonitorState state, Letter letter) const override {
    if (table_.empty()) return evaluate(false, state, letter);
    const std::uint16_t row = table_[index(state, letter.atoms)];
    return {static_cast<MonitorState>(row >> 1), (row & 1) != 0};
  }

  std::string describe(MonitorState state) const override {
    std::string text;
    for (std::size_t i = 0; i < formula_.size(); ++i) {
      if (formula_[i].is_atom || !remembers(formula_[i].op)) continue;
      // `previously`, `start` and `end` remember their operand.
      const Operator op = formula_[i].op;
      const bool operand = op == Operator::Previously || op == Operator::Start || op == Operator::End;
      text += (text.empty() ? "" : ", ") + formula_[operand ? formula_[i].left : i].text + " = " +
              ((state >> bit_of_[i] & 1) != 0 ? "true" : "false");
    }
    return text;
  }

private:
  static constexpr unsigned kTableBits = 12;

  std::size_t index(MonitorState state, std::uint64_t atoms) const {
    const std::uint64_t seen = atoms & ((std::uint64_t{1} << atoms_) - 1);
    return static_cast<std::size_t>(state << atoms_ | seen) & (table_.size() - 1);
  }

  void fill_table() {
    std::vector<std::uint16_t> table(std::size_t{1} << (bits_ + atoms_));
    for (std::size_t i = 0; i < table.size(); ++i) {
      const Verdict verdict = evaluate(false, i >> atoms_, Letter{i & ((std::uint64_t{1} << atoms_) - 1)});
      table[i] = static_cast<std::uint16_t>(verdict.next << 1 | (verdict.violated ? 1 : 0));
    }
    table_ = std::move(table);
  }

  // JMPaX's `now` and `pre`: a bit of `next` is the operator's value now, a bit of `state` its
  // value before.
  Verdict evaluate(bool is_first, MonitorState state, Letter letter) const {
    std::array<bool, kMaxFormulaNodes> value;
    Verdict verdict;
    for (std::size_t i = 0; i < formula_.size(); ++i) {
      const FormulaNode& node = formula_[i];
      if (node.is_atom) {
        value[i] = (letter.atoms >> node.left & 1) != 0;
        continue;
      }
      const bool a = value[node.left], b = value[node.right];
      const bool before = (state >> bit_of_[i] & 1) != 0;
      bool kept = false;
      switch (node.op) {
      case Operator::Negation: value[i] = !a; continue;
      case Operator::And: value[i] = a && b; continue;
      case Operator::Or: value[i] = a || b; continue;
      case Operator::Implies: value[i] = !a || b; continue;
      case Operator::Iff: value[i] = a == b; continue;
      case Operator::Xor: value[i] = a != b; continue;

      // In the first state, the state before counts as the same.
      case Operator::Previously: value[i] = is_first ? a : before, kept = a; break;
      case Operator::Start: value[i] = !is_first && a && !before, kept = a; break;
      case Operator::End: value[i] = !is_first && !a && before, kept = a; break;

      case Operator::Once: kept = value[i] = a || (!is_first && before); break;
      case Operator::Historically: kept = value[i] = a && (is_first || before); break;
      case Operator::SinceStrong: kept = value[i] = b || (a && !is_first && before); break;
      case Operator::SinceWeak: kept = value[i] = b || (a && (is_first || before)); break;
      case Operator::IntervalStrong: kept = value[i] = !b && (a || (!is_first && before)); break;
      case Operator::IntervalWeak: kept = value[i] = !b && (a || is_first || before); break;
      default: assert(false && "not an operator of the past"); break;
      }
      if (kept) verdict.next |= MonitorState{1} << bit_of_[i];
    }
    verdict.violated = !value[formula_.size() - 1];
    return verdict;
  }

  Formula formula_;
  std::vector<unsigned> bit_of_; // by node
  unsigned bits_ = 0;
  unsigned atoms_ = 0;
  std::vector<std::uint16_t> table_; // by state and atoms: next state << 1 | violated; empty if it would be large
};

} // namespace

MonitorPointer make_past_monitor(Formula formula) { return std::make_shared<PastMonitor>(std::move(formula)); }

} // namespace sooth::logic
