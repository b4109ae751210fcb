// Names of functions as property files write them, from demangled names. Values and inline
// functions only: the same code runs in the tool and inside the monitored program.
#pragma once

#include <cstddef>
#include <string_view>

namespace sooth::knowledge {

// Without the check of std::string_view::substr, which throws: the runtime has no exceptions.
inline std::string_view piece(std::string_view text, std::size_t begin, std::size_t end) {
  return {text.data() + begin, end - begin};
}

// Calls visit(position, character) for everything outside of brackets, the outermost brackets
// included.
template <typename Visit>
void at_top_level(std::string_view text, Visit visit) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    // The letters of operator<, operator-> and similar are not brackets.
    if (piece(text, i, text.size()).starts_with("operator")) {
      std::size_t end = i + 8;
      while (end < text.size() && std::string_view("<>=!+-*/%^&|~,[]").find(text[end]) != std::string_view::npos) ++end;
      if (piece(text, end, text.size()).starts_with("()")) end += 2;
      i = end - 1;
      continue;
    }
    if (depth == 0) visit(i, c);
    if (c == '(' || c == '<' || c == '{' || c == '[') ++depth;
    if ((c == ')' || c == '>' || c == '}' || c == ']') && depth > 0) --depth;
  }
}

inline constexpr std::string_view kUnnamedNamespace = "(anonymous namespace)::"; // no part of a name

// `void net::send<int>(int) const` -> `net::send<int>`, of a name without unnamed namespaces. A
// lambda is a function of its own: `send(int)::$_0::operator()(char) const` ->
// `send(int)::$_0::operator()`.
inline std::string_view plain_part(std::string_view name) {
  std::size_t parameters = name.size(), begin = 0;
  at_top_level(name, [&](std::size_t i, char c) {
    if (c == '(' && i != 0 && i < parameters) parameters = i;
    if (c == ':' && i > parameters) parameters = name.size(); // they were those of the function around it
    if (c == ' ' && i < parameters) begin = i + 1;            // after the type that a template function returns
  });
  if (const std::size_t op = name.find("operator"); op != std::string_view::npos && op < parameters && op < begin)
    begin = 0;
  return piece(name, begin, parameters);
}

// Calls part(text) for what is left of a plain name without template arguments.
template <typename Part>
void without_template_arguments(std::string_view plain, Part part) {
  std::size_t last = 0;
  bool inside = false;
  at_top_level(plain, [&](std::size_t i, char c) {
    if (inside) {
      last = i; // the first position after the arguments
      inside = false;
    }
    if (c == '<') {
      part(piece(plain, last, i));
      inside = true;
    }
  });
  if (!inside) part(piece(plain, last, plain.size()));
}

} // namespace sooth::knowledge
