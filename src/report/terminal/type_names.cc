#include "report/terminal/type_names.h"

#include <algorithm>
#include <array>

namespace sooth::report {

namespace {

constexpr std::string_view kStd = "std::";
// Longer text is not a name, and looking through it would take its square.
constexpr std::size_t kLongest = 4096;

// Templates of the standard library that are there only as default arguments of others.
constexpr std::array<std::string_view, 6> kDefaults = {"allocator<", "char_traits<", "default_delete<",
                                                       "equal_to<",  "hash<",        "less<"};

// The end of the template whose `<` is the last character before `begin`; npos if it has none.
std::size_t end_of_template(std::string_view text, std::size_t begin) {
  int depth = 1;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>' && text[i - 1] != '-' && --depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

// How many characters at the beginning of `text` are a default argument with its comma.
std::size_t default_argument(std::string_view text) {
  constexpr std::string_view kNext = ", std::";
  if (!text.starts_with(kNext)) return 0;
  const std::string_view name = text.substr(kNext.size());
  const auto* found = std::ranges::find_if(kDefaults, [&](std::string_view known) { return name.starts_with(known); });
  if (found == kDefaults.end()) return 0;
  const std::size_t end = end_of_template(text, kNext.size() + found->size());
  // `f(int, std::allocator<int>)` has it as a parameter: only `>` or another argument may follow.
  if (end == std::string_view::npos || end == text.size()) return 0;
  const std::string_view rest = text.substr(end);
  return rest.starts_with(">") || rest.starts_with(" >") || default_argument(rest) != 0 ? end : 0;
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
}

} // namespace

std::string with_short_types(std::string_view text) {
  if (text.size() > kLongest || text.find(kStd) == std::string_view::npos) return std::string(text);
  std::string out;
  for (std::size_t i = 0; i < text.size();)
    if (const std::size_t skipped = default_argument(text.substr(i)); skipped != 0) i += skipped;
    else out += text[i++];
  replace_all(out, "std::__cxx11::", kStd);
  replace_all(out, "std::basic_string<char>", "std::string");
  return out;
}

} // namespace sooth::report
