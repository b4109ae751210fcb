#include "report/object_names.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace sooth::report {

namespace {

// Where each part of a qualified name begins; `::` inside brackets separates nothing.
std::vector<std::size_t> beginnings(std::string_view name) {
  std::vector<std::size_t> out = {0};
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const std::string_view rest = name.substr(i);
    if (depth == 0 && rest.starts_with("operator") && i == out.back() && !rest.starts_with("operator()")) break;
    if (rest.starts_with("operator()")) {
      i += 9;
      continue;
    }
    const char c = name[i];
    if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
    if ((c == '>' || c == ')' || c == ']' || c == '}') && depth > 0) --depth;
    if (depth == 0 && rest.starts_with("::")) out.push_back(i + 2), ++i;
    else if (depth == 0 && c == ' ' && out.size() == 1 && !rest.starts_with(" const"))
      out.back() = i + 1; // a return type
  }
  return out;
}

bool is_lambda(std::string_view part) {
  return part.starts_with("$_") || part.starts_with("'lambda") || part.starts_with("{lambda");
}

// The parts of a function's name, without its return type.
std::vector<std::string> parts_of(const std::string& function) {
  const std::vector<std::size_t> starts = beginnings(function);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t end = i + 1 < starts.size() ? starts[i + 1] - 2 : function.size();
    out.push_back(function.substr(starts[i], end - starts[i]));
  }
  return out;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : "::") + part;
  return out;
}

constexpr std::string_view kThis = "this->";

} // namespace

std::string member_name(const std::string& variable, const std::string& function) {
  std::string_view rest = variable;
  const bool pointee = rest.starts_with("*");
  if (pointee) rest.remove_prefix(1);
  if (rest != "this" && !rest.starts_with(kThis)) return variable;
  std::vector<std::string> parts = parts_of(function);
  // A closure's `this` is the closure, and its members are what it captured.
  while (parts.size() >= 2 && parts.back().starts_with("operator()") && is_lambda(parts[parts.size() - 2])) {
    parts.resize(parts.size() - 2);
    if (!rest.starts_with(kThis)) return variable;
    rest.remove_prefix(kThis.size());
    if (rest != "this" && !rest.starts_with(kThis)) return (pointee ? "*" : "") + std::string(rest);
  }
  if (parts.size() < 2) return variable;
  parts.pop_back(); // the member function
  const std::string owner = joined(parts);
  if (rest == "this") return pointee ? owner : variable;
  return (pointee ? "*" : "") + owner + "::" + std::string(rest.substr(kThis.size()));
}

std::string member_of_type(const std::string& name, const std::string& type) {
  if (type.empty() || type.find_first_of("*[") != std::string::npos) return name;
  if (const std::size_t arrow = name.rfind("->"); arrow != std::string::npos)
    return type + "::" + name.substr(arrow + 2);
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos || name.starts_with(type + "::")) return name;
  return type + "::" + name.substr(dot + 1);
}

std::string short_name(const std::string& name) {
  if (const std::size_t made = name.find(kMadeAt); made != std::string::npos)
    return short_name(name.substr(0, made)) + " (" + name.substr(made + kMadeAt.size()) + ")";
  const std::vector<std::size_t> starts = beginnings(name);
  if (starts.size() < 2 || name.find(' ') != std::string::npos) return name;
  return (name.starts_with('*') ? "*" : "") + name.substr(starts.back());
}

bool is_member_of(const std::string& name, const std::string& member) {
  const std::string last = short_name(member);
  if (last == member || !name.ends_with(last) || short_name(name) != name) return false;
  const std::string_view before = std::string_view(name).substr(0, name.size() - last.size());
  return before.empty() || before.ends_with('.') || before.ends_with("->");
}

} // namespace sooth::report
