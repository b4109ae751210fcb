// The types that an expression of a property can have: C's scalars, as they lie in memory.
#pragma once

#include <cstdint>
#include <string>

namespace sooth::logic {

enum class ScalarKind : std::uint8_t { Signed, Unsigned, Float, Bool, Pointer };

// Where a variable is a bit field, its bits are [bit_offset, bit_offset + bit_width) of its `bytes` bytes.
struct ScalarType {
  ScalarKind kind = ScalarKind::Signed;
  std::uint8_t bytes = 4;      // of the type itself: 1, 2, 4, 8
  std::uint8_t bit_offset = 0; // bit fields only
  std::uint8_t bit_width = 0;  // 0: not a bit field
  std::string name = "int";    // as the source has it, for messages

  friend bool operator==(const ScalarType&, const ScalarType&) = default;
};

// The number that the bytes of a variable stand for.
struct Number {
  union {
    std::int64_t integer = 0; // Signed, Bool; and Unsigned, Pointer as their bits
    double real;              // Float
  };
};

} // namespace sooth::logic
