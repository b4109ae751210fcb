// Future-time formulas on lassos, against their definition on a long enough piece of the infinite run.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "logic/formula.h"
#include "logic/resolve.h"
#include "unit/logic_symbols.h"

namespace sooth::logic {
namespace {

using Letters = std::vector<Letter>;

// A suffix of u v v v ... is known by its first position in u v. Until looks for its witness among the positions that it
// passes until it has seen every one of them; a witness further on would be one that it has seen.
struct Definition {
  const Formula& f;
  const Letters& u;
  const Letters& v;

  std::size_t after(std::size_t i) const { return i + 1 < u.size() + v.size() ? i + 1 : u.size(); }
  Letter letter(std::size_t i) const { return i < u.size() ? u[i] : v[i - u.size()]; }

  bool holds(std::size_t node, std::size_t i) const {
    const FormulaNode& x = f[node];
    if (x.is_atom) return (letter(i).atoms >> x.left & 1) != 0;
    const auto a = [&](std::size_t k) { return holds(x.left, k); };
    const auto b = [&](std::size_t k) { return holds(x.right, k); };
    const auto until = [&](auto p, auto q) {
      std::size_t k = i;
      for (std::size_t steps = 0; steps <= u.size() + 2 * v.size(); ++steps, k = after(k)) {
        if (q(k)) return true;
        if (!p(k)) return false;
      }
      return false;
    };
    const auto truth = [](std::size_t) { return true; };
    const auto no = [](auto p) { return [p](std::size_t k) { return !p(k); }; };
    switch (x.op) {
    case Operator::Negation: return !a(i);
    case Operator::And: return a(i) && b(i);
    case Operator::Or: return a(i) || b(i);
    case Operator::Implies: return !a(i) || b(i);
    case Operator::Iff: return a(i) == b(i);
    case Operator::Xor: return a(i) != b(i);
    case Operator::Next: return a(after(i));
    case Operator::Eventually: return until(truth, a);
    case Operator::Always: return !until(truth, no(a));
    case Operator::Until: return until(a, b);
    case Operator::WeakUntil: return until(a, b) || !until(truth, no(a));
    case Operator::Releases: return !until(no(a), no(b));
    default: ADD_FAILURE() << "no such operator"; return false;
    }
  }
};

const std::vector<Operator> kFutureOperators = {
    Operator::Negation, Operator::And,   Operator::Or,        Operator::Implies,
    Operator::Iff,      Operator::Xor,   Operator::Next,      Operator::Eventually,
    Operator::Always,   Operator::Until, Operator::WeakUntil, Operator::Releases,
};

FormulaNode node(bool is_atom, Operator op, std::uint32_t left, std::uint32_t right) {
  FormulaNode made;
  made.is_atom = is_atom;
  made.op = op;
  made.left = left;
  made.right = right;
  return made;
}

Letters any_run(std::size_t shortest) {
  Letters run(*rc::gen::inRange<std::size_t>(shortest, 5));
  for (Letter& letter : run) letter.atoms = *rc::gen::inRange<std::uint64_t>(0, 4);
  return run;
}

RC_GTEST_PROP(Lassos, RandomFormulasAsDefined, ()) {
  Formula formula{node(true, {}, 0, 0), node(true, {}, 1, 0)};
  const auto operations = *rc::gen::inRange<std::size_t>(1, 6);
  for (std::size_t i = 0; i < operations; ++i) {
    const auto newest = static_cast<std::uint32_t>(formula.size() - 1);
    const auto other = *rc::gen::inRange<std::uint32_t>(0, newest + 1);
    const Operator op = *rc::gen::elementOf(kFutureOperators);
    formula.push_back(*rc::gen::arbitrary<bool>() ? node(false, op, newest, other) : node(false, op, other, newest));
  }
  const Letters u = any_run(0), v = any_run(1);
  RC_ASSERT(make_lasso_formula(formula)->holds(u, v) == (Definition{formula, u, v}.holds(formula.size() - 1, 0)));
}

TEST(Lassos, WrittenFormulas) {
  TestProgram program;
  program.ints({"wanted", "given"});
  // Each state: the values of `wanted` and `given`.
  using States = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  const auto holds = [&](const std::string& text, const States& u, const States& v) {
    const auto file = read_properties("liveness it: " + text, "test.prop", program.symbols);
    EXPECT_TRUE(file.ok()) << file.error().text();
    const Property& property = file.value().properties[0];
    EXPECT_EQ(property.monitor, nullptr);
    const auto letters = [&](const States& states) {
      Letters result;
      for (const auto& [wanted, given] : states) {
        std::vector<std::uint64_t> values;
        for (const Variable& variable : file.value().variables)
          values.push_back(variable.name == "wanted" ? wanted : given);
        result.push_back(file.value().letter(property, values, 0));
      }
      return result;
    };
    return property.lasso->holds(letters(u), letters(v));
  };
  const States nothing, want{{1, 0}}, give{{0, 1}}, want_then_give{{1, 0}, {0, 1}};
  for (const std::string spelling : {"always (wanted -> eventually given)", "[] (wanted → <> given)",
                                     "G(wanted -> F(given))", "□ (wanted implies ◇ given)"}) {
    EXPECT_TRUE(holds(spelling, want, give)) << spelling;
    EXPECT_TRUE(holds(spelling, nothing, want_then_give)) << spelling;
    EXPECT_FALSE(holds(spelling, give, want)) << spelling; // wanted for ever, and never given
  }
  EXPECT_TRUE(holds("wanted until given", want, give));
  EXPECT_FALSE(holds("wanted U given", nothing, want));
  EXPECT_TRUE(holds("wanted weak_until given", nothing, want));
  EXPECT_TRUE(holds("next given", want, give));
  EXPECT_TRUE(holds("given releases (wanted || given)", want, give));
}

} // namespace
} // namespace sooth::logic
