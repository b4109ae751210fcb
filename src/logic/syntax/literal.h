// Numbers as C writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "logic/scalar.h"

namespace sooth::logic {

struct Literal {
  std::uint64_t bits = 0; // an integer, or the bits of a double
  ScalarKind kind = ScalarKind::Signed;
  std::uint8_t bytes = 4;
};

// 42, 0x1fu, 0b101, 017, 10ul, 1.5, 1e3f, 0x1p4, 'a', '\n'; nothing if it is not a number of C, or
// too large for 64 bits.
std::optional<Literal> parse_literal(std::string_view text);

} // namespace sooth::logic
