// The table of operators (operators.def), for lookups.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sooth::logic {

enum class Operator : std::uint8_t {
#define SOOTH_OPERATOR(enumerator, spellings, stand, binding, use) enumerator,
#include "logic/syntax/operators.def"
#undef SOOTH_OPERATOR
};

enum class Stand : std::uint8_t { Prefix, Binary, Bracket, Pattern };
enum class Use : std::uint8_t { Any, Past, Future, Value, Regular };

struct OperatorRow {
  Operator op;
  std::string_view spellings; // separated by spaces
  Stand stand;
  int binding;
  Use use;

  std::string_view name() const { return spellings.substr(0, spellings.find(' ')); }
};

std::span<const OperatorRow> operator_rows();
const OperatorRow& operator_row(Operator op);
// The operator with this spelling and stand that may be used in formulas of the past (Use::Past) or
// future. One that belongs to the other kind of formula is found, too, if there is no better one.
std::optional<Operator> find_operator(std::string_view spelling, Stand stand, Use formula);
std::vector<std::string> spellings_of(const OperatorRow& row);

} // namespace sooth::logic
