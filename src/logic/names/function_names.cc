#include <algorithm>

#include "knowledge/function_names.h"
#include "logic/names/lookup.h"
#include "logic/syntax/nearest.h"

namespace sooth::logic {
namespace {

std::string without(std::string text, std::string_view part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) text.erase(at, part.size());
  return text;
}

std::string without_template_arguments(std::string_view text) {
  std::string result;
  knowledge::without_template_arguments(text, [&](std::string_view part) { result += part; });
  return result;
}

} // namespace

std::string plain_function_name(std::string_view demangled) {
  const std::string text = without(std::string(demangled), knowledge::kUnnamedNamespace);
  return std::string(knowledge::plain_part(text));
}

std::string unscoped_function_name(std::string_view written) {
  const std::string plain = plain_function_name(written);
  std::size_t begin = 0, arguments = std::string::npos;
  knowledge::at_top_level(plain, [&](std::size_t i, char c) {
    if (c == ':') begin = i + 1, arguments = std::string::npos;
    if (c == '<' && arguments == std::string::npos) arguments = i;
  });
  // at_top_level passes over the letters of operators, so theirs do not count as arguments.
  return plain.substr(begin, arguments == std::string::npos ? arguments : arguments - begin);
}

bool same_function(std::string_view plain, std::string_view written) {
  return plain == written ||
         (written.find('<') == std::string_view::npos && without_template_arguments(plain) == written);
}

FoundFunction find_function(std::string_view written, const Symbols& symbols, FunctionUse use) {
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
  if (!found.empty() && use == FunctionUse::ThreadStart) return found;
  for (const std::string& function : symbols.inlined_functions) {
    const std::string plain = plain_function_name(function);
    const std::string bare = without_template_arguments(plain);
    if (same_function(plain, found.empty() ? wanted : found) || (found.empty() && bare.ends_with("::" + wanted)))
      return NotFound{0,
                      use == FunctionUse::Calls
                          ? "calls of '" + bare + "' were inlined, so they cannot be seen; compile the program with " +
                                "-fsooth-property=FILE (this file), which keeps them"
                          : "'" + bare + "' was inlined, so no thread can be seen to start there; build the program " +
                                "with --monitor, or let the thread name itself (sooth_thread_name)"};
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
