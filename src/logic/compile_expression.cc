// C's expressions: promotions, usual arithmetic conversions, and which operand may be what.
#include <algorithm>

#include "logic/compile.h"
#include "logic/syntax/literal.h"

namespace sooth::logic {
namespace {

constexpr std::size_t kMaxInstructions = 1u << 16;
constexpr std::size_t kMaxDepth = 450;
static_assert(kMaxDepth < kMaxStack);

bool is_integer(ScalarKind kind) { return kind == ScalarKind::Signed || kind == ScalarKind::Unsigned; }

// Whether the value on top before instruction `at` is 0 or 1: on the way from the instruction
// before it, and from jumps to it, which leave the tested value there.
bool is_truth(const std::vector<Instruction>& code, std::size_t at) {
  if (at == 0) return false;
  const Instruction& last = code[at - 1];
  const bool truth = last.op == Op::Equal || last.op == Op::Less || last.op == Op::LessEqual || last.op == Op::Not ||
                     last.op == Op::Accessed || last.op == Op::Happened || last.op == Op::Result ||
                     (last.op == Op::Convert && last.kind == ScalarKind::Bool);
  if (!truth) return false;
  for (std::size_t i = 0; i < at; ++i)
    if ((code[i].op == Op::JumpIfFalse || code[i].op == Op::JumpIfTrue) && code[i].operand == at && !is_truth(code, i))
      return false;
  return true;
}
constexpr std::size_t kMostLookedThrough = 64; // longer code keeps a conversion that it may not need

bool may_have_no_value(const Instruction& in) {
  const bool divides = in.op == Op::Divide || in.op == Op::Remainder;
  return (divides && in.kind != ScalarKind::Float) || in.op == Op::ShiftLeft || in.op == Op::ShiftRight;
}

// Puts `more` behind `code`, where the stack is higher by `height` than where it was made for.
void append(std::vector<Instruction>& code, const std::vector<Instruction>& more, std::uint32_t height) {
  const std::size_t offset = code.size();
  for (Instruction in : more) {
    if (in.op == Op::JumpIfFalse || in.op == Op::JumpIfTrue || in.op == Op::Condition) in.operand += offset;
    if (in.op == Op::Condition) in.height += height;
    code.push_back(in);
  }
}

} // namespace

Compiler::Shape Compiler::promoted(const ScalarType& type) {
  if (type.kind == ScalarKind::Float) return {ScalarKind::Float, type.bytes};
  if (type.kind == ScalarKind::Pointer) return {ScalarKind::Pointer, 8};
  // An int if that holds all values; of a bit field, its width decides.
  const unsigned bits = type.kind == ScalarKind::Bool ? 1 : type.bit_width != 0 ? type.bit_width : 8u * type.bytes;
  if (bits < 32 || (bits == 32 && type.kind == ScalarKind::Signed)) return {ScalarKind::Signed, 4};
  if (bits == 32) return {ScalarKind::Unsigned, 4};
  return {type.kind, 8};
}

Compiler::Code Compiler::converted(Code code, Shape to) {
  if (code.shape == to) return code;
  const Instruction conversion{Op::Convert, to.kind, to.bytes, code.shape.kind, 0};
  if (code.instructions.size() == 1 && code.instructions[0].op == Op::Constant)
    code.instructions[0] = {Op::Constant, to.kind, to.bytes, to.kind,
                            knowledge::convert(code.instructions[0].operand, conversion)};
  else code.instructions.push_back(conversion);
  code.shape = to;
  return code;
}

Compiler::Code Compiler::as_truth(Code code) {
  const std::size_t end = code.instructions.size();
  if (end > kMostLookedThrough || !is_truth(code.instructions, end))
    code.instructions.push_back({Op::Convert, ScalarKind::Bool, 1, code.shape.kind, 0});
  code.shape = {ScalarKind::Signed, 4};
  return code;
}

// `a`, then `b`, then one more instruction.
Compiler::Code Compiler::joined(Code a, Code b, Instruction last, Shape shape) {
  append(a.instructions, b.instructions, 1);
  a.instructions.push_back(last);
  a.stack = std::max(a.stack, b.stack + 1);
  a.shape = shape;
  return a;
}

Expression Compiler::expression(const Node& node) {
  std::string text = text_of(node);
  if (node.grouped && text.size() > 2 && text.back() == ')') text = text.substr(1, text.size() - 2);
  return Expression(as_truth(value(node)).instructions, std::move(text));
}

Compiler::Code Compiler::value(const Node& node) {
  if (error_) return {{{}}, {}};
  if (depth_ >= kMaxDepth) {
    fail(node.begin, "nested too deeply");
    return {{{}}, {}};
  }
  ++depth_;
  Code code = value_at_depth(node);
  --depth_;
  if (code.instructions.size() > kMaxInstructions) {
    fail(node.begin, "the expression is too large");
    return {{{}}, {}};
  }
  return code;
}

Compiler::Code Compiler::value_at_depth(const Node& node) {
  switch (node.form) {
  case Form::Number: return number(node);
  case Form::Name: return name(node);
  case Form::Predicate: return predicate(node);
  case Form::Remote:
    fail(node.begin, "'@" + node.text + "(...)' asks what another thread knows; only a monitor can");
    return {{{}}, {}};
  case Form::Quantifier: fail(node.begin, "only a monitor can speak of all threads"); return {{{}}, {}};
  default: return node.children.size() == 1 ? prefix(node) : binary(node);
  }
}

Compiler::Code Compiler::number(const Node& node) {
  const auto literal = parse_literal(node.text);
  if (!literal) {
    fail(node.begin, "'" + node.text + "' is not a number, or too large for 64 bits");
    return {{{}}, {}};
  }
  return {{{Op::Constant, literal->kind, literal->bytes, literal->kind, literal->bits}},
          {literal->kind, literal->bytes}};
}

Compiler::Code Compiler::name(const Node& node) {
  if (node.path.empty())
    for (const SyntaxEntry* event : events_)
      if (event->name.text == node.text) return value(event->body);
  return found_value(node, find_value(node, symbols_));
}

// `p->x < 2` is read as "p implies x < 2".
bool Compiler::is_behind_arrow(const Node& node) const {
  const std::string_view before = std::string_view(file_.text).substr(0, node.begin);
  return before.size() > 2 && before.ends_with("->") && before[before.size() - 3] != ' ';
}

Compiler::Code Compiler::found_value(const Node& node, FoundValue found) {
  if (const auto* why = std::get_if<NotFound>(&found)) {
    // A member is no misspelt variable: nothing that sounds like it helps.
    const bool is_member = is_behind_arrow(node) && why->message.starts_with("unknown variable");
    fail(why->at != 0 ? why->at : node.begin,
         is_member ? "'->' means 'implies' here, and '" + text_of(node) +
                         "' is no variable; name what the pointer leads to with SOOTH_WATCH in the program"
                   : why->message);
    return {{{}}, {}};
  }
  if (const auto* constant = std::get_if<Constant>(&found)) {
    const Shape shape = promoted(constant->type);
    return {{{Op::Constant, shape.kind, shape.bytes, shape.kind, static_cast<std::uint64_t>(constant->value)}}, shape};
  }
  auto& variable = std::get<Variable>(found);
  const auto same = [&](const Variable& other) {
    return other.address == variable.address && other.size == variable.size && other.type == variable.type &&
           other.watched == variable.watched && other.watch_name == variable.watch_name;
  };
  const auto at = std::find_if(out_.variables.begin(), out_.variables.end(), same);
  const auto index = static_cast<std::uint64_t>(at - out_.variables.begin());
  const Shape shape = promoted(variable.type);
  // Loading extends to 64 bits, so promotion needs no instruction.
  const Code code{{{Op::Load, variable.type.kind, variable.type.bytes, variable.type.kind, index}}, shape};
  if (at == out_.variables.end()) {
    out_.types.push_back(variable.type);
    out_.variables.push_back(std::move(variable));
  }
  return code;
}

void Compiler::check_operand(const Node& operation, const Node& operand) {
  if (operand.form != Form::Operation) return;
  const bool word = operand.op == Operator::Negation && !operand.grouped;
  if (!is_temporal(operand) && !word) return;
  const std::string outer(operator_row(operation.op).name()), inner(operator_row(operand.op).name());
  fail(operation.begin, "'" + outer + "' takes numbers, but '" + text_of(operand) +
                            "' is a formula; put parentheses around what '" + inner + "' is about");
}

// A formula's words join conditions, which C's operators alone make. (`&&`, `||` and `!` are both.)
bool Compiler::is_formula(const Node& node) {
  if (node.form == Form::Quantifier) return true;
  if (node.form != Form::Operation) return false;
  const bool both = node.op == Operator::And || node.op == Operator::Or || node.op == Operator::Not;
  if (both) return std::any_of(node.children.begin(), node.children.end(), is_formula);
  return operator_row(node.op).use != Use::Value;
}

// A part of a formula. If it is a condition, a division by zero in it makes it false, and not the
// formula around it.
Compiler::Code Compiler::part_of_formula(const Node& node) {
  Code code = as_truth(value(node));
  if (is_formula(node) || std::none_of(code.instructions.begin(), code.instructions.end(), may_have_no_value))
    return code;
  std::vector<Instruction> condition = {
      {Op::Condition, ScalarKind::Signed, 4, ScalarKind::Signed, code.instructions.size() + 1}};
  append(condition, code.instructions, 0);
  code.instructions = std::move(condition);
  return code;
}

Compiler::Code Compiler::prefix(const Node& node) {
  if (operator_row(node.op).use == Use::Value && !(node.op == Operator::Not && is_formula(node.children[0])))
    check_operand(node, node.children[0]);
  Code code = node.op == Operator::Negation ? part_of_formula(node.children[0]) : value(node.children[0]);
  const std::string spelling(operator_row(node.op).name());
  switch (node.op) {
  case Operator::Not:
  case Operator::Negation:
    code.instructions.push_back({Op::Not, code.shape.kind, code.shape.bytes, code.shape.kind, 0});
    code.shape = {ScalarKind::Signed, 4};
    return code;
  case Operator::Complement:
    if (!is_integer(code.shape.kind)) fail(node.begin, "'~' needs an integer");
    code.instructions.push_back({Op::Complement, code.shape.kind, code.shape.bytes, code.shape.kind, 0});
    return code;
  case Operator::Negate:
  case Operator::Positive:
    if (code.shape.kind == ScalarKind::Pointer) fail(node.begin, "'" + spelling + "' needs a number, not a pointer");
    if (node.op == Operator::Negate)
      code.instructions.push_back({Op::Negate, code.shape.kind, code.shape.bytes, code.shape.kind, 0});
    return code;
  default: fail(node.begin, "'" + spelling + "' cannot stand here: this must not depend on other states"); return code;
  }
}

Compiler::Code Compiler::binary(const Node& node) {
  const Use use = operator_row(node.op).use;
  if (use == Use::Value) {
    check_operand(node, node.children[0]);
    check_operand(node, node.children[1]);
  }
  const bool joins_formulas = is_formula(node);
  Code a = joins_formulas ? part_of_formula(node.children[0]) : value(node.children[0]);
  Code b = joins_formulas ? part_of_formula(node.children[1]) : value(node.children[1]);
  if (error_) return {{{}}, {}};
  switch (node.op) {
  case Operator::Iff:
  case Operator::Implies:
  case Operator::Or:
  case Operator::Xor:
  case Operator::And: return connective(node, std::move(a), std::move(b));
  case Operator::Equal:
  case Operator::NotEqual:
  case Operator::Less:
  case Operator::LessEqual:
  case Operator::Greater:
  case Operator::GreaterEqual: return comparison(node, std::move(a), std::move(b));
  case Operator::ShiftLeft:
  case Operator::ShiftRight: return shift(node, std::move(a), std::move(b));
  default: break;
  }
  if (use != Use::Value) {
    fail(node.begin,
         "'" + std::string(operator_row(node.op).name()) + "' cannot stand here: this must not depend on other states");
    return a;
  }
  return arithmetic(node, std::move(a), std::move(b));
}

namespace {

template <typename Shape>
Shape common_shape(Shape a, Shape b) {
  if (a.kind == ScalarKind::Float || b.kind == ScalarKind::Float) {
    const bool wide = (a.kind == ScalarKind::Float && a.bytes == 8) || (b.kind == ScalarKind::Float && b.bytes == 8);
    return {ScalarKind::Float, static_cast<std::uint8_t>(wide ? 8 : 4)};
  }
  if (a.kind == b.kind) return a.bytes > b.bytes ? a : b;
  const Shape plain = a.kind == ScalarKind::Unsigned ? a : b, sign = a.kind == ScalarKind::Unsigned ? b : a;
  return plain.bytes >= sign.bytes ? plain : sign;
}

Op operation_of(Operator op) {
  switch (op) {
  case Operator::Plus: return Op::Add;
  case Operator::Minus: return Op::Subtract;
  case Operator::Times: return Op::Multiply;
  case Operator::Divide: return Op::Divide;
  case Operator::Remainder: return Op::Remainder;
  case Operator::BitAnd: return Op::BitAnd;
  case Operator::BitOr: return Op::BitOr;
  default: return Op::BitXor;
  }
}

} // namespace

Compiler::Code Compiler::arithmetic(const Node& node, Code a, Code b) {
  const std::string spelling(operator_row(node.op).name());
  const Op op = operation_of(node.op);
  const bool integers_only = op == Op::Remainder || op == Op::BitAnd || op == Op::BitOr || op == Op::BitXor;
  if (a.shape.kind == ScalarKind::Pointer || b.shape.kind == ScalarKind::Pointer)
    fail(node.begin, "pointers can be compared, but '" + spelling + "' needs numbers");
  if (integers_only && (a.shape.kind == ScalarKind::Float || b.shape.kind == ScalarKind::Float))
    fail(node.begin, "'" + spelling + "' needs integers");
  const Shape shape = common_shape(a.shape, b.shape);
  return joined(converted(std::move(a), shape), converted(std::move(b), shape),
                {op, shape.kind, shape.bytes, shape.kind, 0}, shape);
}

Compiler::Code Compiler::shift(const Node& node, Code a, Code b) {
  if (!is_integer(a.shape.kind) || !is_integer(b.shape.kind))
    fail(node.begin, "'" + std::string(operator_row(node.op).name()) + "' needs integers");
  const Shape shape = a.shape; // the left operand decides
  const Op op = node.op == Operator::ShiftLeft ? Op::ShiftLeft : Op::ShiftRight;
  return joined(std::move(a), std::move(b), {op, shape.kind, shape.bytes, shape.kind, 0}, shape);
}

Compiler::Code Compiler::comparison(const Node& node, Code a, Code b) {
  Shape shape;
  if (a.shape.kind == ScalarKind::Pointer || b.shape.kind == ScalarKind::Pointer) {
    if (a.shape.kind == ScalarKind::Float || b.shape.kind == ScalarKind::Float)
      fail(node.begin, "a pointer cannot be compared with a floating-point number");
    shape = {ScalarKind::Unsigned, 8};
  } else {
    shape = common_shape(a.shape, b.shape);
  }
  if (node.op == Operator::Greater || node.op == Operator::GreaterEqual) {
    // a > b is b < a. Expressions have no side effects; only which division by zero comes first
    // could differ.
    std::swap(a, b);
  }
  const bool equality = node.op == Operator::Equal || node.op == Operator::NotEqual;
  const bool strict = node.op == Operator::Less || node.op == Operator::Greater;
  const Op op = equality ? Op::Equal : strict ? Op::Less : Op::LessEqual;
  Code code = joined(converted(std::move(a), shape), converted(std::move(b), shape),
                     {op, shape.kind, shape.bytes, shape.kind, 0}, {ScalarKind::Signed, 4});
  if (node.op == Operator::NotEqual)
    code.instructions.push_back({Op::Not, ScalarKind::Signed, 4, ScalarKind::Signed, 0});
  return code;
}

Compiler::Code Compiler::connective(const Node& node, Code a, Code b) {
  a = as_truth(std::move(a));
  b = as_truth(std::move(b));
  const Shape truth{ScalarKind::Signed, 4};
  const Instruction inverse{Op::Not, ScalarKind::Signed, 4, ScalarKind::Signed, 0};
  if (node.op == Operator::Iff || node.op == Operator::Xor) {
    Code code = joined(std::move(a), std::move(b), {Op::Equal, ScalarKind::Signed, 4, ScalarKind::Signed, 0}, truth);
    if (node.op == Operator::Xor) code.instructions.push_back(inverse);
    return code;
  }
  // As in C, the right side is only evaluated if the left one does not decide.
  if (node.op == Operator::Implies) a.instructions.push_back(inverse);
  const std::size_t end = a.instructions.size() + 1 + b.instructions.size();
  a.instructions.push_back(
      {node.op == Operator::And ? Op::JumpIfFalse : Op::JumpIfTrue, ScalarKind::Signed, 4, ScalarKind::Signed, end});
  append(a.instructions, b.instructions, 0);
  a.stack = std::max(a.stack, b.stack + 1);
  a.shape = truth;
  return a;
}

} // namespace sooth::logic
