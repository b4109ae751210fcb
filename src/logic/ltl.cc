// Future-time linear temporal logic on a lasso: does u v v v ... satisfy the formula?
//
//     always (x -> eventually y)    u = {x}, v = {} {y}:   holds: y comes back in every round
//                                   u = {x}, v = {}:       fails: y never comes
//
// Source: JMPaX online, section 4 (liveness), which leaves the test to the literature on path
//   checking.
// Where we differ: a lasso has only |u| + |v| different suffixes, so each subformula is a row of
//   that many truth values, and the operators are least (until) or greatest (weak until, releases)
//   fixpoints on it. Walking backwards twice around the loop is enough: after the first turn every
//   position knows whether the answer lies on the loop.
// Cost: (size of the formula) * (|u| + 2 |v|).
#include <cassert>

#include "logic/formula.h"

namespace sooth::logic {
namespace {

class Lasso final : public LassoFormula {
public:
  explicit Lasso(Formula formula) : formula_(std::move(formula)) { assert(!formula_.empty()); }

  bool holds(std::span<const Letter> u, std::span<const Letter> v) const override {
    assert(!v.empty());
    const std::size_t length = u.size() + v.size();
    std::vector<std::vector<bool>> rows;
    rows.reserve(formula_.size());
    for (const FormulaNode& node : formula_) {
      std::vector<bool> row(length);
      if (node.is_atom) {
        for (std::size_t i = 0; i < length; ++i)
          row[i] = ((i < u.size() ? u[i] : v[i - u.size()]).atoms >> node.left & 1) != 0;
      } else {
        fill(row, node, rows[node.left], rows[node.right], u.size());
      }
      rows.push_back(std::move(row));
    }
    return rows.back()[0];
  }

private:
  using Row = std::vector<bool>;

  // here = now or (go_on and there), backwards; `start`: what the loop's end believes of its
  // beginning at first.
  template <typename Step>
  static void fixpoint(Row& row, std::size_t loop, bool start, Step step) {
    row[loop] = start;
    for (int turn = 0; turn < 2; ++turn)
      for (std::size_t i = row.size(); i-- > loop;) row[i] = step(i, row[i + 1 < row.size() ? i + 1 : loop]);
    for (std::size_t i = loop; i-- > 0;) row[i] = step(i, row[i + 1]);
  }

  static void fill(Row& row, const FormulaNode& node, const Row& a, const Row& b, std::size_t loop) {
    const auto each = [&](auto value) {
      for (std::size_t i = 0; i < row.size(); ++i) row[i] = value(i);
    };
    switch (node.op) {
    case Operator::Negation: return each([&](std::size_t i) { return !a[i]; });
    case Operator::And: return each([&](std::size_t i) { return a[i] && b[i]; });
    case Operator::Or: return each([&](std::size_t i) { return a[i] || b[i]; });
    case Operator::Implies: return each([&](std::size_t i) { return !a[i] || b[i]; });
    case Operator::Iff: return each([&](std::size_t i) { return a[i] == b[i]; });
    case Operator::Xor: return each([&](std::size_t i) { return a[i] != b[i]; });
    case Operator::Next: return each([&](std::size_t i) { return a[i + 1 < row.size() ? i + 1 : loop]; });
    case Operator::Eventually:
      return fixpoint(row, loop, false, [&](std::size_t i, bool later) { return a[i] || later; });
    case Operator::Always: return fixpoint(row, loop, true, [&](std::size_t i, bool later) { return a[i] && later; });
    case Operator::Until:
      return fixpoint(row, loop, false, [&](std::size_t i, bool later) { return b[i] || (a[i] && later); });
    case Operator::WeakUntil:
      return fixpoint(row, loop, true, [&](std::size_t i, bool later) { return b[i] || (a[i] && later); });
    case Operator::Releases:
      return fixpoint(row, loop, true, [&](std::size_t i, bool later) { return b[i] && (a[i] || later); });
    default: assert(false && "not an operator of the future"); return;
    }
  }

  Formula formula_;
};

} // namespace

LassoPointer make_lasso_formula(Formula formula) { return std::make_shared<Lasso>(std::move(formula)); }

} // namespace sooth::logic
