// The types that an expression of a property can have: C's scalars, as they lie in memory.
#pragma once

#include <cstdint>
#include <string>

#include "knowledge/machine.h"

namespace sooth::logic {

using knowledge::ScalarKind;

// Where a variable is a bit field, its bits are [bit_offset, bit_offset + bit_width) of its `bytes`
// bytes.
struct ScalarType {
  ScalarKind kind = ScalarKind::Signed;
  std::uint8_t bytes = 4;      // of the type itself: 1, 2, 4, 8
  std::uint8_t bit_offset = 0; // bit fields only
  std::uint8_t bit_width = 0;  // 0: not a bit field
  std::string name = "int";    // as the source has it, for messages

  knowledge::ScalarLayout layout() const { return {kind, bytes, bit_offset, bit_width}; }
  friend bool operator==(const ScalarType&, const ScalarType&) = default;
};

} // namespace sooth::logic
