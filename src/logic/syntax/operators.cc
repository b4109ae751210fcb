#include "logic/syntax/operators.h"

#include <algorithm>
#include <array>

namespace sooth::logic {
namespace {

constexpr std::array kRows = {
#define SOOTH_OPERATOR(enumerator, spellings, stand, binding, use)                                                     \
  OperatorRow{Operator::enumerator, spellings, Stand::stand, binding, Use::use},
#include "logic/syntax/operators.def"
#undef SOOTH_OPERATOR
};

bool spells(std::string_view spellings, std::string_view wanted) {
  while (!spellings.empty()) {
    const std::size_t end = std::min(spellings.find(' '), spellings.size());
    if (spellings.substr(0, end) == wanted) return true;
    spellings.remove_prefix(std::min(end + 1, spellings.size()));
  }
  return false;
}

} // namespace

std::span<const OperatorRow> operator_rows() { return kRows; }

const OperatorRow& operator_row(Operator op) { return kRows[static_cast<std::size_t>(op)]; }

std::optional<Operator> find_operator(std::string_view spelling, Stand stand, Use formula) {
  std::optional<Operator> other;
  for (const OperatorRow& row : kRows) {
    if (row.stand != stand || !spells(row.spellings, spelling)) continue;
    if (row.use == formula || row.use == Use::Any || row.use == Use::Value) return row.op;
    if (!other) other = row.op;
  }
  return other;
}

std::vector<std::string> spellings_of(const OperatorRow& row) {
  std::vector<std::string> result;
  std::string_view left = row.spellings;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(' '), left.size());
    result.emplace_back(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return result;
}

} // namespace sooth::logic
