// A temporal formula over atoms, as both temporal logics compile it: a list in which operands stand
// before operators.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "logic/lasso.h"
#include "logic/monitor.h"
#include "logic/syntax/operators.h"

namespace sooth::logic {

struct FormulaNode {
  bool is_atom = false;
  Operator op = Operator::Not;
  std::uint32_t left = 0;  // index of the first operand; of an atom its number
  std::uint32_t right = 0; // index of the second operand of a binary operator
  std::string text;        // as written, for descriptions
};

// The last node is the whole formula. Never empty.
using Formula = std::vector<FormulaNode>;

inline constexpr std::size_t kMaxFormulaNodes = 1024;
inline constexpr unsigned kMaxTemporalBits = 64;

// Operators that a past-time monitor remembers one bit for.
bool remembers(Operator op);

// ptltl.cc. The formula has at most kMaxTemporalBits operators that remember, and kMaxFormulaNodes
// nodes.
MonitorPointer make_past_monitor(Formula formula);
// ltl.cc
LassoPointer make_lasso_formula(Formula formula);

} // namespace sooth::logic
