#include "report/terminal/printable.h"

#include <cstdint>

#include <fmt/format.h>

namespace sooth::report {

namespace {

struct Letter {
  std::uint32_t code = 0;
  std::size_t bytes = 0; // 0: not UTF-8
};

Letter letter_at(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (bytes == 0 || first >= 0xf5 || text.size() < bytes) return {};
  std::uint32_t code = first & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fu);
  }
  const std::uint32_t least = bytes == 4 ? 0x10000 : bytes == 3 ? 0x800 : 0x80;
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return code < least || code > 0x10ffff || surrogate ? Letter{} : Letter{code, bytes};
}

// Marks that reorder, hide or break the text around them.
bool is_deceptive(std::uint32_t code) {
  return (code >= 0x80 && code < 0xa0) || (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2060 && code <= 0x206f) || code == 0xfeff;
}

std::string control_text(std::uint32_t code) {
  if (code == '\n') return "\\n";
  if (code == '\t') return "\\t";
  if (code == '\r') return "\\r";
  return fmt::format("\\x{:02x}", code);
}

} // namespace

std::string printable(std::string_view text, std::size_t most) {
  std::string out;
  out.reserve(text.size() < most ? text.size() : most + 3);
  while (!text.empty()) {
    if (out.size() >= most) return out + "...";
    const Letter letter = letter_at(text);
    if (letter.bytes == 0) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    else if (letter.code < 0x20 || letter.code == 0x7f) out += control_text(letter.code);
    else if (is_deceptive(letter.code)) out += fmt::format("\\u{:04x}", letter.code);
    else out += text.substr(0, letter.bytes);
    text.remove_prefix(letter.bytes == 0 ? 1 : letter.bytes);
  }
  return out;
}

std::string printable_lines(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t end = text.find_first_of("\n\t");
    out += printable(text.substr(0, end), std::string_view::npos);
    if (end == std::string_view::npos) return out;
    out += text[end];
    text.remove_prefix(end + 1);
  }
}

} // namespace sooth::report
