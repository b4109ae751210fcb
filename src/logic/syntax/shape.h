// From flat lists of operands and operators, as the grammar finds them, to trees, by the table of
// operators.
#pragma once

#include <vector>

#include "logic/syntax/syntax.h"

namespace sooth::logic {

// One thing of a formula, in the order of the text.
struct Item {
  enum class What : std::uint8_t { Operand, Prefix, Binary };
  What what = What::Operand;
  Node node; // Operand
  std::string spelling;
  std::size_t at = 0;
};

// Trees deeper than this are refused: code that walks them may recurse.
inline constexpr std::size_t kMaxTreeDepth = 400;

// `use`: Past or Future, the kind of the formula. The items are as the grammar leaves them: prefix*
// operand (binary prefix* operand)*. On an error, `at` is its place in the text.
struct ShapeError {
  std::size_t at = 0;
  std::string message;
};
Node shape_formula(std::vector<Item> items, Use use); // throws ShapeError, which parse() turns into an Error

} // namespace sooth::logic
