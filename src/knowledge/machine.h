// The machine that computes C expressions: a stack, and arithmetic by C's rules on 64-bit
// registers.
//
// Everything here is a value or an inline function and needs no library, because the same code runs
// in the tool (atoms of properties) and inside the monitored program (monitors). Where C leaves a
// result undefined, see docs/properties.md.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace sooth::knowledge {

enum class ScalarKind : std::uint8_t { Signed, Unsigned, Float, Bool, Pointer };

// How a variable's bytes are to be read. Of a bit field, bits [bit_offset, bit_offset + bit_width).
struct ScalarLayout {
  ScalarKind kind = ScalarKind::Signed;
  std::uint8_t bytes = 4;      // 1, 2, 4, 8
  std::uint8_t bit_offset = 0; // bit fields only
  std::uint8_t bit_width = 0;  // 0: not a bit field

  friend bool operator==(const ScalarLayout&, const ScalarLayout&) = default;
};

// How often an expression had no value in C. The evaluating code adds them up and reports them.
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

// Numbers of the flat form of monitors (compiled.h): new ones go to the end of their group, with a
// new version there.
enum class Op : std::uint8_t {
  Constant, // push `operand`
  Load,     // push the number that variable `operand` holds
  Happened, // push 1 if event predicate `operand` is true of this step, else 0; not in monitors
  // Leaves of monitors only; what `operand` is made of stands in compiled.h.
  Local,        // a local variable of the thread, set by sooth_internal
  Block,        // which entry of an annotated block the thread is in, or 0
  Accessed,     // 1 if this event is such an access of a variable
  Result,       // what an earlier node of the monitors came to
  RoleValue,    // what a named thread's remote expression was when last heard of
  RoleOfSelf,   // the same of an expression that speaks of the evaluating thread
  RoleOfOther,  // the same of an expression that speaks of the thread that the loop is at
  ThreadValue,  // what the remote expression of the thread that the loop is at was when last heard of
  ThreadOfSelf, // the same of an expression that speaks of the evaluating thread
  Negate,       // arithmetic: `kind` and `bytes` say in which type
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
  Condition, // up to `operand` is a condition of a formula: without a value it is false, and the formula goes on after it
};
inline constexpr Op kLastLeaf = Op::ThreadOfSelf;
inline constexpr Op kLastOp = Op::Condition;

struct Instruction {
  Op op = Op::Constant;
  ScalarKind kind = ScalarKind::Signed; // type of the operation
  std::uint8_t bytes = 4;
  ScalarKind from = ScalarKind::Signed; // Convert
  std::uint32_t height = 0;             // Condition: of the stack before it
  std::uint64_t operand = 0;            // a constant's bits (doubles as bits), or an index

  Instruction() = default;
  Instruction(Op o, ScalarKind k, std::uint8_t b, ScalarKind f, std::uint64_t x)
      : op(o), kind(k), bytes(b), from(f), operand(x) {}
  friend bool operator==(const Instruction&, const Instruction&) = default;
};
static_assert(sizeof(Instruction) == 16);

// The compiler makes no expression that needs more.
inline constexpr std::size_t kMaxStack = 512;

// A register holds an integer, sign- or zero-extended from its type to 64 bits, or the bits of a
// double (a `float` is a double that was rounded).
using Register = std::uint64_t;

inline double real_of(Register r) { return std::bit_cast<double>(r); }
inline Register bits_of(double d) { return std::bit_cast<Register>(d); }

// The value of the type that these low bits stand for.
inline Register extend(Register r, ScalarKind kind, unsigned width) {
  if (kind == ScalarKind::Bool) return r != 0;
  if (width >= 64) return r;
  const Register low = r & ((Register{1} << width) - 1);
  const bool negative = kind == ScalarKind::Signed && (low >> (width - 1) & 1) != 0;
  return negative ? low | ~Register{0} << width : low;
}

inline Register rounded(double d, unsigned bytes) { return bits_of(bytes == 4 ? static_cast<float>(d) : d); }

// The number that a variable's bytes (little-endian, zero-extended) stand for.
inline Register load_scalar(Register image, const ScalarLayout& type) {
  if (type.bit_width != 0) {
    Register field = image >> type.bit_offset;
    if (type.bit_width < 64) field &= (Register{1} << type.bit_width) - 1;
    return extend(field, type.kind, type.bit_width);
  }
  if (type.kind == ScalarKind::Float)
    return type.bytes == 4 ? bits_of(std::bit_cast<float>(static_cast<std::uint32_t>(image))) : image;
  const unsigned width = 8u * type.bytes;
  const Register low = width >= 64 ? image : image & ((Register{1} << width) - 1);
  return extend(low, type.kind, width);
}

inline Register convert(Register r, const Instruction& to) {
  if (to.kind == ScalarKind::Bool) return to.from == ScalarKind::Float ? real_of(r) != 0 : r != 0;
  if (to.kind != ScalarKind::Float) return extend(r, to.kind, 8u * to.bytes);
  if (to.from == ScalarKind::Float) return rounded(real_of(r), to.bytes);
  // Straight to the type that C names: a step through double would round twice.
  if (to.from == ScalarKind::Signed || to.from == ScalarKind::Bool) {
    const auto integer = static_cast<std::int64_t>(r);
    return bits_of(to.bytes == 4 ? static_cast<double>(static_cast<float>(integer)) : static_cast<double>(integer));
  }
  return bits_of(to.bytes == 4 ? static_cast<double>(static_cast<float>(r)) : static_cast<double>(r));
}

inline Register real_operation(const Instruction& in, double a, double b) {
  // With the operands rounded to float, the double result rounded once more is the float result:
  // doubles have more than twice the digits.
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

inline bool less(const Instruction& in, Register a, Register b) {
  return in.kind == ScalarKind::Signed ? static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b) : a < b;
}

// Signed overflow wraps, the smallest number divided by -1 too. False: the operation has no value.
inline bool divide(const Instruction& in, Register a, Register b, Register& result) {
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

enum class Trouble : std::uint8_t { None, Division, Shift };

inline Trouble integer_operation(const Instruction& in, Register a, Register b, Register& result) {
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

// The operation at `at` has no value: evaluation goes on behind the innermost condition that it is
// in. False: in none.
inline bool leave_condition(const Instruction* code, std::size_t& at, std::size_t& top) {
  for (std::size_t i = at; i-- > 0;) {
    if (code[i].op != Op::Condition || code[i].operand <= at) continue;
    top = code[i].height;
    at = static_cast<std::size_t>(code[i].operand) - 1;
    return true;
  }
  return false;
}

// Computes `code`. `leaf(instruction)` gives the register for every operation up to kLastLeaf but
// Constant. An expression without a value in C is 0, and counted.
template <typename Leaf>
Register run(const Instruction* code, std::size_t count, Leaf&& leaf, Faults* faults) {
  Register stack[kMaxStack];
  std::size_t top = 0; // next free place
  for (std::size_t at = 0; at < count; ++at) {
    const Instruction& in = code[at];
    switch (in.op) {
    case Op::Constant: stack[top++] = in.operand; break;
    case Op::Negate:
      stack[top - 1] = in.kind == ScalarKind::Float ? bits_of(-real_of(stack[top - 1]))
                                                    : extend(Register{0} - stack[top - 1], in.kind, 8u * in.bytes);
      break;
    case Op::Complement: stack[top - 1] = extend(~stack[top - 1], in.kind, 8u * in.bytes); break;
    case Op::Not:
      stack[top - 1] = in.kind == ScalarKind::Float ? real_of(stack[top - 1]) == 0 : stack[top - 1] == 0;
      break;
    case Op::Convert: stack[top - 1] = convert(stack[top - 1], in); break;
    case Op::JumpIfFalse:
    case Op::JumpIfTrue:
      if ((stack[top - 1] != 0) == (in.op == Op::JumpIfTrue)) at = static_cast<std::size_t>(in.operand) - 1;
      else --top;
      break;
    case Op::Condition: break;
    default: {
      if (in.op <= kLastLeaf) {
        stack[top++] = leaf(in);
        break;
      }
      const Register b = stack[--top], a = stack[top - 1];
      if (in.kind == ScalarKind::Float) {
        stack[top - 1] = real_operation(in, real_of(a), real_of(b));
        break;
      }
      if (in.op == Op::Less || in.op == Op::Equal) { // most are
        stack[top - 1] = in.op == Op::Equal ? a == b : less(in, a, b);
        break;
      }
      const Trouble trouble = integer_operation(in, a, b, stack[top - 1]);
      if (trouble == Trouble::None) break;
      if (faults != nullptr) ++(trouble == Trouble::Division ? faults->divisions_by_zero : faults->wide_shifts);
      if (!leave_condition(code, at, top)) return 0;
      stack[top++] = 0;
      break;
    }
    }
  }
  return top == 0 ? 0 : stack[top - 1];
}

} // namespace sooth::knowledge
