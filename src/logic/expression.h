// The atoms of properties: C expressions over the program's variables and over what happens in a step.
//
// An expression is compiled to a short list of instructions for a stack machine, typed at compile time by C's rules
// (promotions, usual arithmetic conversions). Where C leaves a result undefined, see docs/properties.md: signed
// overflow wraps; a division by zero and a shift by more than the width make the whole atom false and are counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "logic/scalar.h"

namespace sooth::logic {

// How often the atoms of a run had no value in C. Whoever evaluates adds them up and tells the user.
struct Faults {
  std::uint64_t divisions_by_zero = 0;
  std::uint64_t wide_shifts = 0;

  bool any() const { return divisions_by_zero + wide_shifts != 0; }
  Faults& operator+=(const Faults& other) {
    divisions_by_zero += other.divisions_by_zero;
    wide_shifts += other.wide_shifts;
    return *this;
  }
};

enum class Op : std::uint8_t {
  Constant, // push `operand`
  Load,     // push the number that variable `operand` holds
  Happened, // push 1 if event predicate `operand` is true of this step, else 0
  Negate,   // arithmetic: `kind` and `bytes` say in which type
  Complement,
  Not,
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  ShiftLeft,
  ShiftRight,
  BitAnd,
  BitOr,
  BitXor,
  Equal,
  Less,
  LessEqual,
  Convert,     // to `kind` and `bytes` from `from`
  JumpIfFalse, // short-circuit: if the top is 0, jump to `operand` and leave it; else pop it
  JumpIfTrue,
};

struct Instruction {
  Op op = Op::Constant;
  ScalarKind kind = ScalarKind::Signed; // type of the operation
  std::uint8_t bytes = 4;
  ScalarKind from = ScalarKind::Signed; // Convert
  std::uint64_t operand = 0;            // a constant's bits (doubles as bits), or an index

  friend bool operator==(const Instruction&, const Instruction&) = default;
};

// The compiler makes no expression that needs more.
inline constexpr std::size_t kMaxStack = 512;

class Expression {
public:
  Expression() = default;
  Expression(std::vector<Instruction> code, std::string text) : code_(std::move(code)), text_(std::move(text)) {}

  // `values[i]`: the bytes of PropertyFile::variables[i], little-endian, zero-extended. `types[i]`: how to read them.
  // Bit k of `happened`: PropertyFile::events[k] is true of this step.
  bool evaluate(std::span<const std::uint64_t> values, std::span<const ScalarType> types, std::uint64_t happened,
                Faults* faults = nullptr) const;

  const std::vector<Instruction>& code() const { return code_; }
  const std::string& text() const { return text_; }

private:
  std::vector<Instruction> code_;
  std::string text_;
};

} // namespace sooth::logic
