// Columns of text on a terminal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sooth::report {

// Width in characters, not in bytes: a letter may have several bytes.
inline std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

inline std::string padded(const std::string& text, std::size_t columns) {
  return text + std::string(columns - std::min(columns, width(text)), ' ');
}

// Where the character number `letter` begins, in bytes.
inline std::size_t byte_of(std::string_view text, std::size_t letter) {
  std::size_t bytes = 0, letters = 0;
  while (bytes < text.size() && (letters < letter || (text[bytes] & 0xc0) == 0x80))
    if ((text[bytes++] & 0xc0) != 0x80) ++letters;
  return bytes;
}

// The first `columns` characters of the text, with `...` if it has more.
inline std::string cut_to(const std::string& text, std::size_t columns) {
  if (width(text) <= columns) return text;
  return text.substr(0, byte_of(text, columns > 3 ? columns - 3 : 0)) + "...";
}

// The text without its first `letters` characters; `...` stands for these and three more.
inline std::string cut_before(const std::string& text, std::size_t letters) {
  if (letters == 0 || text.empty()) return text;
  return "..." + text.substr(byte_of(text, letters + 3));
}

// Lines of at most `columns` characters, broken at blanks where there are some; those behind the
// first begin with `indent` blanks.
inline std::vector<std::string> wrapped(std::string_view text, std::size_t columns, std::size_t indent = 0) {
  std::vector<std::string> out;
  std::string line;
  std::size_t used = 0;
  bool fresh = true; // nothing but the indent is on the line
  const auto end_line = [&] {
    out.push_back(line);
    line.assign(indent, ' ');
    used = indent;
    fresh = true;
  };
  const auto put = [&](std::string_view word) {
    while (used + width(word) > columns && columns > indent + 1) { // longer than a whole line
      std::size_t bytes = 0, letters = 0;
      while (bytes < word.size() && (used + letters < columns || (word[bytes] & 0xc0) == 0x80))
        if ((word[bytes++] & 0xc0) != 0x80) ++letters;
      line += word.substr(0, bytes);
      word.remove_prefix(bytes);
      end_line();
    }
    line += word;
    used += width(word);
    fresh = fresh && word.empty();
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!fresh && used + 1 + width(word) > columns) end_line();
    if (!fresh) put(" ");
    put(word);
  }
  if (!fresh || out.empty()) out.push_back(line);
  return out;
}

} // namespace sooth::report
