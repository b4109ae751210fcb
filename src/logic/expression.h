// The atoms of properties: C expressions over the program's variables and over the events of a
// step.
//
//     x + 1 > limit     Load limit, Load x, Constant 1, Add, Less
//
// An expression is compiled to a short list of instructions for a stack machine
// (knowledge/machine.h), typed at compile time by C's rules (promotions, usual arithmetic
// conversions). docs/properties.md says what happens where C leaves a result undefined: signed
// overflow wraps; a division by zero and a shift by more than the width make the whole atom false
// and are counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "knowledge/machine.h"
#include "logic/scalar.h"

namespace sooth::logic {

using knowledge::Faults;
using knowledge::Instruction;
using knowledge::kMaxStack;
using knowledge::Op;

class Expression {
public:
  Expression() = default;
  Expression(std::vector<Instruction> code, std::string text) : code_(std::move(code)), text_(std::move(text)) {}

  // `values[i]`: the bytes of PropertyFile::variables[i], little-endian, zero-extended. `types[i]`:
  // how to read them. Bit k of `happened`: PropertyFile::events[k] is true of this step.
  bool evaluate(std::span<const std::uint64_t> values, std::span<const ScalarType> types, std::uint64_t happened,
                Faults* faults = nullptr) const;

  const std::vector<Instruction>& code() const { return code_; }
  const std::string& text() const { return text_; }

private:
  std::vector<Instruction> code_;
  std::string text_;
};

} // namespace sooth::logic
