#include "logic/syntax/literal.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <string>

namespace sooth::logic {
namespace {

std::optional<Literal> character(std::string_view text) {
  std::string_view inside = text.substr(1, text.size() - 2);
  if (inside.size() == 1) return Literal{static_cast<std::uint64_t>(static_cast<std::int64_t>(inside[0]))};
  if (inside.size() != 2 || inside[0] != '\\') return std::nullopt;
  constexpr std::string_view kLetters = "0abtnvfr\\'\"?";
  constexpr char kMeanings[] = {0, 7, 8, 9, 10, 11, 12, 13, '\\', '\'', '"', '?'};
  const std::size_t at = kLetters.find(inside[1]);
  if (at == std::string_view::npos) return std::nullopt;
  return Literal{static_cast<std::uint64_t>(kMeanings[at])};
}

std::optional<Literal> real(std::string_view text, bool hexadecimal) {
  std::uint8_t bytes = 8;
  if (text.ends_with('f') || text.ends_with('F')) {
    bytes = 4;
    text.remove_suffix(1);
  }
  if (hexadecimal) text.remove_prefix(2);
  const auto format = hexadecimal ? std::chars_format::hex : std::chars_format::general;
  const char* end = text.data() + text.size();
  // Each to its own type: by way of a double a float would be rounded twice.
  double value = 0;
  float small = 0;
  const auto parsed =
      bytes == 4 ? std::from_chars(text.data(), end, small, format) : std::from_chars(text.data(), end, value, format);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return Literal{std::bit_cast<std::uint64_t>(bytes == 4 ? static_cast<double>(small) : value), ScalarKind::Float,
                 bytes};
}

std::optional<Literal> integer(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) base = 16;
  else if (text.starts_with("0b") || text.starts_with("0B")) base = 2;
  else if (text.size() > 1 && text[0] == '0') base = 8;
  if (base == 16 || base == 2) text.remove_prefix(2);

  std::string suffix;
  while (!text.empty() && std::string_view("uUlLzZ").find(text.back()) != std::string_view::npos) {
    suffix.insert(suffix.begin(), static_cast<char>(text.back() | 0x20));
    text.remove_suffix(1);
  }
  constexpr std::string_view kSuffixes[] = {"", "u", "l", "ul", "lu", "ll", "ull", "llu", "z", "uz", "zu"};
  if (std::find(std::begin(kSuffixes), std::end(kSuffixes), suffix) == std::end(kSuffixes)) return std::nullopt;

  std::uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;

  // The first type that can hold it: int, unsigned (not for decimal ones without u), long, unsigned
  // long.
  const bool is_unsigned = suffix.find('u') != std::string::npos;
  const bool is_long = suffix.find_first_of("lz") != std::string::npos;
  const bool may_be_unsigned = is_unsigned || base != 10;
  if (!is_long && !is_unsigned && value <= 0x7fffffff) return Literal{value, ScalarKind::Signed, 4};
  if (!is_long && may_be_unsigned && value <= 0xffffffff) return Literal{value, ScalarKind::Unsigned, 4};
  if (!is_unsigned && value <= 0x7fffffffffffffff) return Literal{value, ScalarKind::Signed, 8};
  if (may_be_unsigned) return Literal{value, ScalarKind::Unsigned, 8};
  return std::nullopt;
}

} // namespace

std::optional<Literal> parse_literal(std::string_view text) {
  if (text.size() >= 3 && text.front() == '\'') return character(text);
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  const bool is_real = hexadecimal ? text.find_first_of(".pP") != std::string_view::npos
                                   : text.find_first_of(".eE") != std::string_view::npos;
  return is_real ? real(text, hexadecimal) : integer(text);
}

} // namespace sooth::logic
