#include "logic/expression.h"

#include <array>
#include <bit>
#include <cassert>
#include <cmath>

namespace sooth::logic {
namespace {

// A register holds an integer, sign- or zero-extended from its type to 64 bits, or the bits of a double (a `float` is a
// double that was rounded).
using Register = std::uint64_t;

double real(Register r) { return std::bit_cast<double>(r); }
Register bits(double d) { return std::bit_cast<Register>(d); }

// The value of the type that these low bits stand for.
Register extend(Register r, ScalarKind kind, unsigned width) {
  if (kind == ScalarKind::Bool) return r != 0;
  if (width >= 64) return r;
  const Register low = r & ((Register{1} << width) - 1);
  const bool negative = kind == ScalarKind::Signed && (low >> (width - 1) & 1) != 0;
  return negative ? low | ~Register{0} << width : low;
}

Register rounded(double d, unsigned bytes) { return bits(bytes == 4 ? static_cast<float>(d) : d); }

Register load(Register image, const ScalarType& type) {
  if (type.bit_width != 0) {
    Register field = image >> type.bit_offset;
    if (type.bit_width < 64) field &= (Register{1} << type.bit_width) - 1;
    return extend(field, type.kind, type.bit_width);
  }
  if (type.kind == ScalarKind::Float)
    return type.bytes == 4 ? bits(std::bit_cast<float>(static_cast<std::uint32_t>(image))) : image;
  const unsigned width = 8u * type.bytes;
  const Register low = width >= 64 ? image : image & ((Register{1} << width) - 1);
  return extend(low, type.kind, width);
}

Register convert(Register r, const Instruction& to) {
  if (to.kind == ScalarKind::Bool) return to.from == ScalarKind::Float ? real(r) != 0 : r != 0;
  if (to.kind != ScalarKind::Float) return extend(r, to.kind, 8u * to.bytes);
  if (to.from == ScalarKind::Float) return rounded(real(r), to.bytes);
  // Straight to the type that C names: a step through double would round twice.
  if (to.from == ScalarKind::Signed || to.from == ScalarKind::Bool) {
    const auto integer = static_cast<std::int64_t>(r);
    return bits(to.bytes == 4 ? static_cast<double>(static_cast<float>(integer)) : static_cast<double>(integer));
  }
  return bits(to.bytes == 4 ? static_cast<double>(static_cast<float>(r)) : static_cast<double>(r));
}

Register real_operation(const Instruction& in, double a, double b) {
  // With the operands rounded to float, the double result rounded once more is the float result: doubles have more
  // than twice the digits.
  switch (in.op) {
  case Op::Add: return rounded(a + b, in.bytes);
  case Op::Subtract: return rounded(a - b, in.bytes);
  case Op::Multiply: return rounded(a * b, in.bytes);
  case Op::Divide: return rounded(a / b, in.bytes);
  case Op::Equal: return a == b;
  case Op::Less: return a < b;
  case Op::LessEqual: return a <= b;
  default: return 0;
  }
}

bool less(const Instruction& in, Register a, Register b) {
  return in.kind == ScalarKind::Signed ? static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b) : a < b;
}

// Signed overflow wraps, the smallest number divided by -1 too. False: the operation has no value.
bool divide(const Instruction& in, Register a, Register b, Register& result) {
  if (b == 0) return false;
  const bool quotient = in.op == Op::Divide;
  if (in.kind != ScalarKind::Signed) {
    result = quotient ? a / b : a % b;
  } else if (static_cast<std::int64_t>(b) == -1) {
    result = quotient ? Register{0} - a : 0;
  } else {
    const auto x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b);
    result = static_cast<Register>(quotient ? x / y : x % y);
  }
  return true;
}

enum class Trouble { None, Division, Shift };

Trouble integer_operation(const Instruction& in, Register a, Register b, Register& result) {
  const unsigned width = 8u * in.bytes;
  switch (in.op) {
  case Op::Add: result = a + b; break;
  case Op::Subtract: result = a - b; break;
  case Op::Multiply: result = a * b; break;
  case Op::Divide:
  case Op::Remainder:
    if (!divide(in, a, b, result)) return Trouble::Division;
    break;
  case Op::ShiftLeft:
  case Op::ShiftRight:
    if (b >= width) return Trouble::Shift; // a negative count is a large one here
    if (in.op == Op::ShiftLeft) result = a << b;
    else if (in.kind == ScalarKind::Signed) result = static_cast<Register>(static_cast<std::int64_t>(a) >> b);
    else result = a >> b;
    break;
  case Op::BitAnd: result = a & b; break;
  case Op::BitOr: result = a | b; break;
  case Op::BitXor: result = a ^ b; break;
  case Op::Equal: result = a == b; return Trouble::None;
  case Op::Less: result = less(in, a, b); return Trouble::None;
  case Op::LessEqual: result = !less(in, b, a); return Trouble::None;
  default: break;
  }
  result = extend(result, in.kind, width);
  return Trouble::None;
}

} // namespace

bool Expression::evaluate(std::span<const std::uint64_t> values, std::span<const ScalarType> types,
                          std::uint64_t happened, Faults* faults) const {
  std::array<Register, kMaxStack> stack;
  std::size_t top = 0; // next free place
  for (std::size_t at = 0; at < code_.size(); ++at) {
    const Instruction& in = code_[at];
    switch (in.op) {
    case Op::Constant: stack[top++] = in.operand; break;
    case Op::Load: stack[top++] = load(values[in.operand], types[in.operand]); break;
    case Op::Happened: stack[top++] = happened >> in.operand & 1; break;
    case Op::Negate:
      stack[top - 1] = in.kind == ScalarKind::Float ? bits(-real(stack[top - 1]))
                                                    : extend(Register{0} - stack[top - 1], in.kind, 8u * in.bytes);
      break;
    case Op::Complement: stack[top - 1] = extend(~stack[top - 1], in.kind, 8u * in.bytes); break;
    case Op::Not:
      stack[top - 1] = in.kind == ScalarKind::Float ? real(stack[top - 1]) == 0 : stack[top - 1] == 0;
      break;
    case Op::Convert: stack[top - 1] = convert(stack[top - 1], in); break;
    case Op::JumpIfFalse:
    case Op::JumpIfTrue:
      if ((stack[top - 1] != 0) == (in.op == Op::JumpIfTrue)) at = in.operand - 1;
      else --top;
      break;
    default: {
      const Register b = stack[--top], a = stack[top - 1];
      if (in.kind == ScalarKind::Float) {
        stack[top - 1] = real_operation(in, real(a), real(b));
        break;
      }
      const Trouble trouble = integer_operation(in, a, b, stack[top - 1]);
      if (trouble == Trouble::None) break;
      if (faults != nullptr) ++(trouble == Trouble::Division ? faults->divisions_by_zero : faults->wide_shifts);
      return false;
    }
    }
    assert(top <= kMaxStack);
  }
  return top != 0 && stack[top - 1] != 0;
}

} // namespace sooth::logic
