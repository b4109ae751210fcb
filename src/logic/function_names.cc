#include <algorithm>

#include "logic/lookup.h"
#include "logic/nearest.h"

namespace sooth::logic {
namespace {

std::string without(std::string text, std::string_view part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) text.erase(at, part.size());
  return text;
}

// Positions that stand in no brackets.
template <typename Visit>
void at_top_level(std::string_view text, Visit visit) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    // The letters of operator<, operator-> and their like are no brackets.
    if (text.substr(i).starts_with("operator")) {
      std::size_t end = i + 8;
      while (end < text.size() && std::string_view("<>=!+-*/%^&|~,[]").find(text[end]) != std::string_view::npos) ++end;
      if (text.substr(end).starts_with("()")) end += 2;
      i = end - 1;
      continue;
    }
    if (depth == 0) visit(i, c);
    if (c == '(' || c == '<' || c == '{' || c == '[') ++depth;
    if ((c == ')' || c == '>' || c == '}' || c == ']') && depth > 0) --depth;
  }
}

std::string without_template_arguments(std::string_view text) {
  std::string result;
  std::size_t last = 0;
  bool inside = false;
  at_top_level(text, [&](std::size_t i, char c) {
    if (inside) {
      last = i; // the first position after the arguments
      inside = false;
    }
    if (c == '<') {
      result += text.substr(last, i - last);
      inside = true;
    }
  });
  return inside ? result : result + std::string(text.substr(last));
}

} // namespace

std::string plain_function_name(std::string_view demangled) {
  const std::string text = without(std::string(demangled), "(anonymous namespace)::");
  std::size_t parameters = text.size(), begin = 0;
  at_top_level(text, [&](std::size_t i, char c) {
    if (c == '(' && i != 0) parameters = std::min(parameters, i);
    if (c == ' ' && i < parameters) begin = i + 1; // after the type that a template function returns
  });
  if (const std::size_t op = text.find("operator"); op != std::string::npos && op < parameters && op < begin) begin = 0;
  return text.substr(begin, parameters - begin);
}

std::string unscoped_function_name(std::string_view written) {
  const std::string plain = plain_function_name(written);
  std::size_t begin = 0, arguments = std::string::npos;
  at_top_level(plain, [&](std::size_t i, char c) {
    if (c == ':') begin = i + 1, arguments = std::string::npos;
    if (c == '<' && arguments == std::string::npos) arguments = i;
  });
  // at_top_level passes over the letters of operators, so theirs are no arguments.
  return plain.substr(begin, arguments == std::string::npos ? arguments : arguments - begin);
}

bool same_function(std::string_view plain, std::string_view written) {
  return plain == written ||
         (written.find('<') == std::string_view::npos && without_template_arguments(plain) == written);
}

FoundFunction find_function(std::string_view written, const Symbols& symbols) {
  std::string wanted = plain_function_name(written);
  if (wanted.starts_with("::")) wanted.erase(0, 2);
  std::vector<std::string> exact, suffix, all;
  for (const std::string& function : symbols.functions) {
    std::string plain = plain_function_name(function);
    const std::string bare = without_template_arguments(plain);
    if (same_function(plain, wanted)) exact.push_back(bare == wanted ? bare : plain);
    else if (bare.ends_with("::" + wanted)) suffix.push_back(bare);
    all.push_back(std::move(plain));
  }
  const auto unique = [](std::vector<std::string>& names) {
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
  };
  unique(exact);
  unique(suffix);
  std::string found = !exact.empty() ? exact.front() : suffix.size() == 1 ? suffix.front() : "";
  for (const std::string& function : symbols.inlined_functions) {
    const std::string plain = plain_function_name(function);
    const std::string bare = without_template_arguments(plain);
    if (same_function(plain, found.empty() ? wanted : found) || (found.empty() && bare.ends_with("::" + wanted)))
      return NotFound{0, "calls of '" + bare + "' were inlined, so they cannot be seen; compile the program with " +
                             "-fsooth-property=FILE (this file), which keeps them"};
  }
  if (!found.empty()) return found;
  if (suffix.size() > 1)
    return NotFound{0, "'" + wanted + "' is ambiguous: it could be '" + suffix[0] + "' or '" + suffix[1] + "'"};
  unique(all);
  std::string nearest = did_you_mean(wanted, all);
  if (nearest.empty())
    nearest = "; if an optimiser left it out, compile the program with -fsooth-property=FILE (this file)";
  return NotFound{0, "the program has no instrumented function '" + wanted + "'" + nearest};
}

} // namespace sooth::logic
