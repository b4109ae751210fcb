// Expressions against C itself: what the compiler of this test computes is what a property must compute.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <limits>
#include <type_traits>

#include "logic/resolve.h"
#include "logic/syntax/literal.h"
#include "unit/logic_symbols.h"

namespace sooth::logic {
namespace {

using trace::TypeKind;

template <typename T>
TypeKind kind_of() {
  if (std::is_same_v<T, bool>) return TypeKind::Bool;
  if (std::is_floating_point_v<T>) return TypeKind::Float;
  return std::is_signed_v<T> ? TypeKind::Signed : TypeKind::Unsigned;
}

template <typename T>
std::uint64_t image(T value) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, &value, sizeof value);
  return bytes;
}

// Variables with values of C types, and what a property says of them.
class Memory {
public:
  template <typename T>
  void set(const std::string& name, T value) {
    set(name, kind_of<T>(), sizeof(T), image(value));
  }
  void set(const std::string& name, TypeKind kind, std::size_t bytes, std::uint64_t bits) {
    program_.variable(name, program_.scalar(kind, bytes, "a type"));
    values_.push_back(bits);
  }

  bool evaluate(const std::string& text, Faults* faults = nullptr) const {
    const auto file = read_properties("property it: " + text, "test.prop", program_.symbols);
    EXPECT_TRUE(file.ok()) << file.error().text();
    if (!file) return false;
    std::vector<std::uint64_t> values;
    for (const Variable& variable : file.value().variables)
      for (std::size_t i = 0; i < values_.size(); ++i)
        if (program_.symbols.variables[i].address == variable.address) values.push_back(values_[i]);
    return file.value().letter(file.value().properties[0], values, 0, faults).atoms != 0;
  }

  TestProgram program_;
  std::vector<std::uint64_t> values_;
};

// Addition, subtraction and multiplication as C does them when signed numbers wrap.
template <typename A, typename B, typename F>
auto wrapping(A a, B b, F f) {
  using R = decltype(f(a, b));
  if constexpr (std::is_integral_v<R>) {
    using U = std::make_unsigned_t<R>;
    return static_cast<R>(f(static_cast<U>(static_cast<R>(a)), static_cast<U>(static_cast<R>(b))));
  } else {
    return f(a, b);
  }
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"

// What the compiler says of a result. It is known by its bits, and its type by how it compares and divides.
struct ResultInC {
  TypeKind kind;
  std::size_t bytes;
  std::uint64_t bits;
  bool number; // equal to itself
  bool above_minus_one, half_below_one, zero;
};

template <typename T>
ResultInC result_of(T r) {
  return {kind_of<T>(), sizeof(T), image(r), r == r, +r > -1, r / 2 < 1, !r};
}

// Not a template: there are hundreds of combinations of types.
void check_result(Memory& memory, const char* expression, const ResultInC& r) {
  const std::string text = "(" + std::string(expression) + ")", name = "r" + std::to_string(memory.values_.size());
  memory.set(name, r.kind, r.bytes, r.bits);
  RC_ASSERT(memory.evaluate(text + " == " + name) == r.number);
  RC_ASSERT(memory.evaluate(text + " > -1") == r.above_minus_one);
  RC_ASSERT(memory.evaluate(text + " / 2 < 1") == r.half_below_one);
  RC_ASSERT(memory.evaluate("!" + text) == r.zero);
}

template <typename A, typename B>
void check_all(A a, B b) {
  Memory memory;
  memory.set("a", a);
  memory.set("b", b);
  const auto same = [&](const char* text, auto r) { check_result(memory, text, result_of(r)); };
  same("a + b", wrapping(a, b, [](auto x, auto y) { return x + y; }));
  same("a - b", wrapping(a, b, [](auto x, auto y) { return x - y; }));
  same("a * b", wrapping(a, b, [](auto x, auto y) { return x * y; }));
  same("a < b", a < b);
  same("a <= b", a <= b);
  same("a > b", a > b);
  same("a >= b", a >= b);
  same("a == b", a == b);
  same("a != b", a != b);
  same("a && b", a && b);
  same("a || b", a || b);
  using R = decltype(a / b);
  if constexpr (std::is_integral_v<R>) {
    same("a & b", a & b);
    same("a | b", a | b);
    same("a ^ b", a ^ b);
    same("~a", ~(a + 0));
    const bool overflows =
        std::is_signed_v<R> && static_cast<R>(a) == std::numeric_limits<R>::min() && static_cast<R>(b) == R(-1);
    if (b != 0 && !overflows) {
      same("a / b", a / b);
      same("a % b", a % b);
    }
    const auto width = sizeof(+a) * 8;
    if (+b >= 0 && static_cast<std::uint64_t>(b) < width) {
      using U = std::make_unsigned_t<decltype(+a)>;
      same("a << b", static_cast<decltype(+a)>(static_cast<U>(+a) << b));
      same("a >> b", a >> b);
    }
  } else {
    same("a / b", a / b);
  }
}
#pragma GCC diagnostic pop

template <typename T>
T any_value() {
  if constexpr (std::is_same_v<T, bool>) return *rc::gen::arbitrary<bool>();
  else if constexpr (std::is_floating_point_v<T>)
    return *rc::gen::element<T>(0, T(-0.0), 1, T(0.1), T(-2.5), T(1e30), T(16777217),
                                std::numeric_limits<T>::infinity(), T(3));
  else
    return *rc::gen::weightedOneOf<T>({{3, rc::gen::arbitrary<T>()},
                                       {1, rc::gen::element<T>(0, 1, static_cast<T>(-1), std::numeric_limits<T>::min(),
                                                               std::numeric_limits<T>::max())}});
}

template <typename A>
void against_all() {
  const A a = any_value<A>();
  switch (*rc::gen::inRange(0, 11)) {
  case 0: return check_all(a, any_value<bool>());
  case 1: return check_all(a, any_value<signed char>());
  case 2: return check_all(a, any_value<unsigned char>());
  case 3: return check_all(a, any_value<short>());
  case 4: return check_all(a, any_value<unsigned short>());
  case 5: return check_all(a, any_value<int>());
  case 6: return check_all(a, any_value<unsigned>());
  case 7: return check_all(a, any_value<long>());
  case 8: return check_all(a, any_value<unsigned long>());
  case 9: return check_all(a, any_value<float>());
  default: return check_all(a, any_value<double>());
  }
}

RC_GTEST_PROP(Expressions, OfBoolAsInC, ()) { against_all<bool>(); }
RC_GTEST_PROP(Expressions, OfCharAsInC, ()) { against_all<signed char>(); }
RC_GTEST_PROP(Expressions, OfUnsignedShortAsInC, ()) { against_all<unsigned short>(); }
RC_GTEST_PROP(Expressions, OfIntAsInC, ()) { against_all<int>(); }
RC_GTEST_PROP(Expressions, OfUnsignedAsInC, ()) { against_all<unsigned>(); }
RC_GTEST_PROP(Expressions, OfLongAsInC, ()) { against_all<long>(); }
RC_GTEST_PROP(Expressions, OfUnsignedLongAsInC, ()) { against_all<unsigned long>(); }
RC_GTEST_PROP(Expressions, OfFloatAsInC, ()) { against_all<float>(); }
RC_GTEST_PROP(Expressions, OfDoubleAsInC, ()) { against_all<double>(); }

TEST(Expressions, WhereCHasNoValueTheAtomIsFalseAndItIsCounted) {
  Memory memory;
  memory.set("zero", 0);
  memory.set("one", 1);
  memory.set("wide", 32);
  const auto faults = [&](const std::string& text) {
    Faults found;
    EXPECT_FALSE(memory.evaluate(text, &found)) << text;
    return std::pair(found.divisions_by_zero, found.wide_shifts);
  };
  EXPECT_EQ(faults("one / zero == 0"), std::pair(1ul, 0ul));
  EXPECT_EQ(faults("!(one % zero == 0)"), std::pair(1ul, 0ul));
  EXPECT_EQ(faults("one << wide >= 0"), std::pair(0ul, 1ul));
  EXPECT_EQ(faults("one >> (zero - 1) >= 0"), std::pair(0ul, 1ul));
  Faults none;
  EXPECT_FALSE(memory.evaluate("zero != 0 && one / zero > 1", &none)); // as in C, the right side is not evaluated
  EXPECT_TRUE(memory.evaluate("zero == 0 || one / zero > 1", &none));
  EXPECT_TRUE(memory.evaluate("zero != 0 -> one / zero > 1", &none));
  EXPECT_TRUE(memory.evaluate("one / 0.0 > 1e300", &none)); // infinity
  EXPECT_FALSE(none.any());
}

// A condition is what C's operators alone make; without a value it is false, and the words of formulas go on from there.
TEST(Expressions, AConditionWithoutAValueIsFalseAndNotWhatWordsOfFormulasMakeOfIt) {
  Memory memory;
  memory.set("zero", 0);
  memory.set("one", 1);
  const auto faults = [&](const std::string& text, bool expected) {
    Faults found;
    EXPECT_EQ(memory.evaluate(text, &found), expected) << text;
    return found.divisions_by_zero;
  };
  EXPECT_EQ(faults("!(one / zero == 0)", false), 1u); // C's operators belong to the condition
  EXPECT_EQ(faults("one / zero == 0 || one == 1", false), 1u);
  EXPECT_EQ(faults("not (one / zero == 0)", true), 1u);
  EXPECT_EQ(faults("not one / zero == 0", true), 1u);
  EXPECT_EQ(faults("not not (one / zero == 0)", false), 1u);
  EXPECT_EQ(faults("!(not (one / zero == 0))", false), 1u);
  EXPECT_EQ(faults("not !(one / zero == 0)", true), 1u);
  EXPECT_EQ(faults("one / zero == 0 -> one == 0", true), 1u);
  EXPECT_EQ(faults("one == 1 -> one / zero == 0", false), 1u);
  EXPECT_EQ(faults("one / zero == 0 <-> one % zero == 0", true), 2u);
  EXPECT_EQ(faults("one == 1 xor one / zero == 0", true), 1u);
  EXPECT_EQ(faults("not (one == 0) || one / zero == 0", true), 0u);
  EXPECT_EQ(faults("one / zero == 0 || not (one == 0)", true), 1u);
  EXPECT_EQ(faults("(one == 1 <-> (one == 1 && one / zero == 0)) || one == 1", true), 1u);
  EXPECT_EQ(faults("1 + (not (one / zero == 0)) == 2", true), 1u);
  EXPECT_EQ(faults("zero != 0 -> one / zero == 0", true), 0u);
}

TEST(Expressions, SignedOverflowWraps) {
  Memory memory;
  memory.set("most", std::numeric_limits<int>::max());
  memory.set("least", std::numeric_limits<int>::min());
  memory.set("least_long", std::numeric_limits<long>::min());
  EXPECT_TRUE(memory.evaluate("most + 1 == least"));
  EXPECT_TRUE(memory.evaluate("-least == least"));
  EXPECT_TRUE(memory.evaluate("least / -1 == least"));
  EXPECT_TRUE(memory.evaluate("least % -1 == 0"));
  EXPECT_TRUE(memory.evaluate("least_long / -1 == least_long"));
}

#define SAME_AS_IN_C(literal)                                                                                          \
  do {                                                                                                                 \
    const auto value = literal;                                                                                        \
    const auto parsed = parse_literal(#literal);                                                                       \
    ASSERT_TRUE(parsed) << #literal;                                                                                   \
    EXPECT_EQ(parsed->bytes, std::max<std::size_t>(sizeof(+value), 4)) << #literal;                                    \
    EXPECT_EQ(parsed->kind, std::is_floating_point_v<decltype(value)> ? ScalarKind::Float                              \
                            : std::is_signed_v<decltype(+value)>      ? ScalarKind::Signed                             \
                                                                      : ScalarKind::Unsigned)                               \
        << #literal;                                                                                                   \
    if constexpr (std::is_floating_point_v<decltype(value)>)                                                           \
      EXPECT_EQ(parsed->bits, image(double(value))) << #literal;                                                       \
    else EXPECT_EQ(parsed->bits, static_cast<std::uint64_t>(static_cast<std::int64_t>(value))) << #literal;            \
  } while (false)

TEST(Literals, AsInC) {
  SAME_AS_IN_C(0);
  SAME_AS_IN_C(42);
  SAME_AS_IN_C(017);
  SAME_AS_IN_C(0x1f);
  SAME_AS_IN_C(0b101);
  SAME_AS_IN_C(10u);
  SAME_AS_IN_C(10l);
  SAME_AS_IN_C(10UL);
  SAME_AS_IN_C(10ull);
  SAME_AS_IN_C(2147483647);
  SAME_AS_IN_C(2147483648);
  SAME_AS_IN_C(0x7fffffff);
  SAME_AS_IN_C(0xffffffff);
  SAME_AS_IN_C(0x100000000);
  SAME_AS_IN_C(9223372036854775807);
  SAME_AS_IN_C(0xffffffffffffffff);
  SAME_AS_IN_C(1.5);
  SAME_AS_IN_C(.5);
  SAME_AS_IN_C(1.);
  SAME_AS_IN_C(1e3);
  SAME_AS_IN_C(1e-3f);
  SAME_AS_IN_C(0.1f);
  SAME_AS_IN_C(0x1.8p4);
  SAME_AS_IN_C('a');
  SAME_AS_IN_C('\n');
  SAME_AS_IN_C('\0');
  SAME_AS_IN_C('\'');
}

TEST(Literals, WhatIsNoneInC) {
  for (const char* text :
       {"08", "0x", "1uu", "1lul", "12ab", "1.2.3", "1e", "99999999999999999999", "18446744073709551615", "''"})
    EXPECT_FALSE(parse_literal(text)) << text;
}

struct Bits {
  unsigned low : 3;
  int sign : 5;
  unsigned word : 32;
  unsigned long wide : 40;
  bool flag : 1;
};

TEST(Expressions, BitFieldsAsInC) {
  TestProgram program;
  const auto u = program.scalar(TypeKind::Unsigned, 4, "unsigned int"), i = program.scalar(TypeKind::Signed, 4, "int");
  const auto ul = program.scalar(TypeKind::Unsigned, 8, "unsigned long"), b = program.scalar(TypeKind::Bool, 1, "bool");
  // As clang lays Bits out: low 0, sign 3, word 32 (a unit of its own), wide 64, flag 104.
  trace::Type type{TypeKind::Struct, sizeof(Bits), "Bits"};
  type.members = {{"low", 0, u, 3}, {"sign", 3, i, 5}, {"word", 32, u, 32}, {"wide", 64, ul, 40}, {"flag", 104, b, 1}};
  const std::uint64_t base = program.variable("bits", program.type(type));
  Bits bits{5, -7, 0xfffffffe, 0xff'0000'0001, true};
  std::uint8_t memory[sizeof bits];
  std::memcpy(memory, &bits, sizeof bits);
  for (const auto& [text, expected] :
       std::vector<std::pair<std::string, bool>>{{"bits.low == 5", bits.low == 5},
                                                 {"bits.sign == -7", bits.sign == -7},
                                                 {"bits.low - 6 < 0", true}, // a narrow unsigned field is an int
                                                 {"bits.word - 0xffffffffu < 0", false},
                                                 {"bits.wide == 0xff00000001", true},
                                                 {"bits.flag", true},
                                                 {"bits.flag + bits.flag == 2", true}}) {
    const auto file = read_properties("property it: " + text, "test.prop", program.symbols);
    ASSERT_TRUE(file.ok()) << file.error().text();
    std::vector<std::uint64_t> values;
    for (const Variable& variable : file.value().variables) {
      ASSERT_LE(variable.address - base + variable.size, sizeof memory);
      std::uint64_t value = 0;
      std::memcpy(&value, memory + (variable.address - base), variable.size);
      values.push_back(value);
    }
    EXPECT_EQ(file.value().letter(file.value().properties[0], values, 0).atoms != 0, expected) << text;
  }
}

} // namespace
} // namespace sooth::logic
