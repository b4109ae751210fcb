// Past-time logic: every operator against its definition, evaluated directly on whole prefixes; and the misprints
// of JMPaX.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>

#include "logic/formula.h"
#include "logic/resolve.h"
#include "unit/logic_symbols.h"

namespace sooth::logic {
namespace {

using Letters = std::vector<Letter>;

// Table 1 of JMPaX with strong since corrected, on the prefix that ends in state n (from 0). No recursion over
// states except where the table itself quantifies.
bool holds(const Formula& f, std::size_t node, const Letters& run, std::size_t n) {
  const FormulaNode& x = f[node];
  if (x.is_atom) return (run[n].atoms >> x.left & 1) != 0;
  const auto a = [&](std::size_t i) { return holds(f, x.left, run, i); };
  const auto b = [&](std::size_t i) { return holds(f, x.right, run, i); };
  const auto always = [&](auto p) {
    for (std::size_t i = 0; i <= n; ++i)
      if (!p(i)) return false;
    return true;
  };
  const auto from = [&](std::size_t first, auto p) {
    for (std::size_t i = first; i <= n; ++i)
      if (!p(i)) return false;
    return true;
  };
  const auto since = [&] {
    for (std::size_t j = 0; j <= n; ++j)
      if (b(j) && from(j + 1, a)) return true;
    return false;
  };
  const auto interval = [&] {
    for (std::size_t j = 0; j <= n; ++j)
      if (a(j) && from(j, [&](std::size_t i) { return !b(i); })) return true;
    return false;
  };
  const auto previously = [&] { return a(n == 0 ? 0 : n - 1); };
  switch (x.op) {
  case Operator::Negation: return !a(n);
  case Operator::And: return a(n) && b(n);
  case Operator::Or: return a(n) || b(n);
  case Operator::Implies: return !a(n) || b(n);
  case Operator::Iff: return a(n) == b(n);
  case Operator::Xor: return a(n) != b(n);
  case Operator::Previously: return previously();
  case Operator::Once: return !always([&](std::size_t i) { return !a(i); });
  case Operator::Historically: return always(a);
  case Operator::SinceStrong: return since();
  case Operator::SinceWeak: return since() || always(a);
  case Operator::Start: return a(n) && !previously();
  case Operator::End: return !a(n) && previously();
  case Operator::IntervalStrong: return interval();
  case Operator::IntervalWeak: return interval() || always([&](std::size_t i) { return !b(i); });
  default: ADD_FAILURE() << "no such operator"; return false;
  }
}

constexpr Operator kPastOperators[] = {
    Operator::Negation,  Operator::And,        Operator::Or,   Operator::Implies,        Operator::Iff,
    Operator::Xor,       Operator::Previously, Operator::Once, Operator::Historically,   Operator::SinceStrong,
    Operator::SinceWeak, Operator::Start,      Operator::End,  Operator::IntervalStrong, Operator::IntervalWeak,
};

bool is_binary(Operator op) {
  const Stand stand = operator_row(op).stand;
  return stand == Stand::Binary || stand == Stand::Bracket;
}

FormulaNode atom(std::uint32_t number) {
  FormulaNode node;
  node.is_atom = true;
  node.left = number;
  return node;
}
FormulaNode operation(Operator op, std::uint32_t left, std::uint32_t right = 0) {
  FormulaNode node;
  node.op = op;
  node.left = left;
  node.right = right;
  return node;
}

std::vector<bool> verdicts(const Monitor& monitor, const Letters& run) {
  std::vector<bool> result;
  MonitorState state = 0;
  for (std::size_t i = 0; i < run.size(); ++i) {
    const Verdict verdict = i == 0 ? monitor.first(run[i]) : monitor.step(state, run[i]);
    state = verdict.next;
    result.push_back(!verdict.violated);
  }
  return result;
}

std::vector<bool> by_definition(const Formula& formula, const Letters& run) {
  std::vector<bool> result;
  for (std::size_t n = 0; n < run.size(); ++n) result.push_back(holds(formula, formula.size() - 1, run, n));
  return result;
}

TEST(PastTimeLogic, EveryOperatorAsDefinedOnEveryShortRun) {
  for (const Operator op : kPastOperators) {
    const Formula formula{atom(0), atom(1), operation(op, 0, is_binary(op) ? 1 : 0)};
    const MonitorPointer monitor = make_past_monitor(formula);
    for (unsigned length = 1; length <= 5; ++length) {
      for (unsigned bits = 0; bits < 1u << (2 * length); ++bits) {
        Letters run;
        for (unsigned i = 0; i < length; ++i) run.push_back({bits >> (2 * i) & 3});
        ASSERT_EQ(verdicts(*monitor, run), by_definition(formula, run)) << operator_row(op).name() << " on " << bits;
      }
    }
  }
}

// Enough atoms and operators that some monitors are tables and some are not.
RC_GTEST_PROP(PastTimeLogic, RandomFormulasAsDefined, ()) {
  const auto atoms = *rc::gen::inRange<std::uint32_t>(1, 9);
  const auto operations = *rc::gen::inRange<std::size_t>(1, 12);
  Formula formula;
  for (std::uint32_t i = 0; i < atoms; ++i) formula.push_back(atom(i));
  for (std::size_t i = 0; i < operations; ++i) {
    const Operator op =
        *rc::gen::elementOf(std::vector<Operator>(std::begin(kPastOperators), std::end(kPastOperators)));
    const auto child = [&] { return *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(formula.size())); };
    // The newest node is below the next one, so that nothing is left out of the formula.
    const auto newest = static_cast<std::uint32_t>(formula.size() - 1);
    formula.push_back(*rc::gen::arbitrary<bool>() ? operation(op, newest, child()) : operation(op, child(), newest));
  }
  Letters run;
  const auto length = *rc::gen::inRange<std::size_t>(1, 9);
  for (std::size_t i = 0; i < length; ++i) run.push_back({*rc::gen::inRange<std::uint64_t>(0, 1u << atoms)});
  RC_ASSERT(verdicts(*make_past_monitor(formula), run) == by_definition(formula, run));
}

class Written : public ::testing::Test {
protected:
  Written() { program_.ints({"p", "q", "landing", "approved", "radio", "x", "y", "z"}); }

  // The truth of the property in each state; a state is the values of the variables in the order above.
  std::vector<bool> truth(const std::string& formula, const std::vector<std::vector<std::uint64_t>>& states) {
    const auto file = read_properties("property it: " + formula, "test.prop", program_.symbols);
    if (!file) {
      ADD_FAILURE() << file.error().text();
      return {};
    }
    const Property& property = file.value().properties[0];
    std::vector<bool> result;
    MonitorState state = 0;
    for (std::size_t i = 0; i < states.size(); ++i) {
      std::vector<std::uint64_t> values;
      for (const Variable& variable : file.value().variables) {
        const auto& all = program_.symbols.variables;
        for (std::size_t k = 0; k < all.size(); ++k)
          if (all[k].address == variable.address) values.push_back(k < states[i].size() ? states[i][k] : 0);
      }
      const Letter letter = file.value().letter(property, values, 0);
      const Verdict verdict = i == 0 ? property.monitor->first(letter) : property.monitor->step(state, letter);
      state = verdict.next;
      result.push_back(!verdict.violated);
    }
    return result;
  }

  TestProgram program_;
};

// JMPaX, Table 1 prints "F1 of all i from 1 to n" for strong since. By the recursive definition beside it, F1 is only
// wanted after the state with F2: here F1 is false in the first state, and F2 true in the second.
TEST_F(Written, StrongSinceOfTable1IsMisprinted_OnlyTheStatesAfterCount) {
  EXPECT_EQ(truth("p since q", {{0, 0}, {0, 1}, {1, 0}, {1, 0}, {0, 0}}),
            (std::vector<bool>{false, true, true, true, false}));
}

// The recursive definition of weak since has "n > 1 and" where its own init, and Table 1, need "implies": F1 alone is enough
// in the first state, and goes on being enough.
TEST_F(Written, WeakSinceHoldsFromTheFirstStateOnWithoutF2) {
  EXPECT_EQ(truth("p weak_since q", {{1, 0}, {1, 0}, {0, 0}, {1, 0}}), (std::vector<bool>{true, true, false, false}));
}

TEST_F(Written, InTheFirstStateNothingStartsOrEndsAndPreviouslyIsNow) {
  EXPECT_EQ(truth("start(p)", {{1}, {0}, {1}, {1}}), (std::vector<bool>{false, false, true, false}));
  EXPECT_EQ(truth("end(p)", {{0}, {1}, {0}, {0}}), (std::vector<bool>{false, false, true, false}));
  EXPECT_EQ(truth("previously(p)", {{1}, {0}, {0}}), (std::vector<bool>{true, true, false}));
  EXPECT_EQ(truth("[p, q)", {{0, 0}}), (std::vector<bool>{false}));
  EXPECT_EQ(truth("[p, q)w", {{0, 0}}), (std::vector<bool>{true}));
}

// "If the plane has started landing, then landing has been approved and since then the radio signal was never down."
TEST_F(Written, LandingExampleHoldsWhenTheRadioGoesAfterLandingAndFailsWhenBefore) {
  const std::string property = "start(landing == 1) -> [approved == 1, radio == 0)";
  //                                   p  q  landing approved radio
  EXPECT_EQ(truth(property, {{0, 0, 0, 0, 1}, {0, 0, 0, 1, 1}, {0, 0, 1, 1, 1}, {0, 0, 1, 1, 0}}),
            (std::vector<bool>{true, true, true, true}));
  EXPECT_EQ(truth(property, {{0, 0, 0, 0, 1}, {0, 0, 0, 1, 1}, {0, 0, 0, 1, 0}, {0, 0, 1, 1, 0}}),
            (std::vector<bool>{true, true, true, false}));
}

TEST_F(Written, WordsSymbolsOfThePapersAndAsciiAreTheSame) {
  const std::vector<std::vector<std::uint64_t>> states{{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}, {1, 0}, {0, 0}};
  const std::vector<std::vector<std::string>> same = {
      {"once p", "once(p)", "<*> p", "◇ p", "⋄(p)"},
      {"historically p", "[*] p", "□ p"},
      {"previously p", "(*) p", "@p", "⊙ p"},
      {"start p", "↑ p", "↑(p)"},
      {"end p", "↓p"},
      {"p since q", "p S q", "p S_s q", "p Ss q"},
      {"p weak_since q", "p Sw q", "p S_w q"},
      {"[p, q)", "[p,q)s", "[ p , q )_s"},
      {"[p, q)w", "[p, q)_w"},
      {"once p && once q", "once p and once q", "once p ∧ once q"},
      {"once p || once q", "once p or once q", "once p ∨ once q"},
      {"once p -> once q", "once p implies once q", "once p → once q", "once p => once q", "!once p || once q"},
      {"once p <-> once q", "once p iff once q", "once p ↔ once q", "once p <=> once q", "not (once p xor once q)"},
      {"not once p", "¬ once p", "!once p", "!(once p)", "! once(p)"},
      {"p == 1 since q != 0", "p = 1 since q ≠ 0", "(p == 1) since (q != 0)"},
  };
  for (const auto& spellings : same)
    for (const std::string& spelling : spellings)
      EXPECT_EQ(truth(spelling, states), truth(spellings[0], states)) << spelling;
}

TEST_F(Written, BindingFromLooseToTight) {
  const std::vector<std::vector<std::uint64_t>> states{{0, 0, 1}, {1, 0, 0}, {0, 1, 1},
                                                       {1, 1, 0}, {0, 0, 1}, {1, 0, 1}};
  const std::vector<std::pair<std::string, std::string>> same = {
      {"once p && q", "(once p) && q"},
      {"once p == 1 && q", "(once (p == 1)) && q"},
      {"not p == 1", "not (p == 1)"},
      {"!p == 1", "(!p) == 1"},
      {"p since q && landing", "(p since q) && landing"},
      {"once p -> once q -> landing", "once p -> (once q -> landing)"},
      {"once p || once q && landing", "once p || (once q && landing)"},
      {"p & q == 0 | landing", "(p & (q == 0)) | landing"},
      {"once not once p", "once (not (once p))"},
      {"p since q since landing", "(p since q) since landing"},
  };
  for (const auto& [plain, grouped] : same) EXPECT_EQ(truth(plain, states), truth(grouped, states)) << plain;
}

TEST_F(Written, AnOperatorsNameCanBeAVariable) {
  program_.ints({"start", "end", "once"});
  EXPECT_EQ(truth("start == 0 && end < 1 && once - 1 != 2 && ::once == 0", {{}}), (std::vector<bool>{true}));
}

} // namespace
} // namespace sooth::logic
