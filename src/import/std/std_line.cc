#include "import/std/std_line.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace sooth::import {

namespace {

constexpr std::pair<std::string_view, StdOperation> kOperations[] = {
    {"r", StdOperation::Read},      {"w", StdOperation::Write},   {"acq", StdOperation::Acquire},
    {"rel", StdOperation::Release}, {"fork", StdOperation::Fork}, {"join", StdOperation::Join},
    {"begin", StdOperation::Begin}, {"end", StdOperation::End},
};

constexpr std::string_view kBlank = " \t\r\f\v";

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return text.substr(text.size());
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// The user's text, short enough and printable.
std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string out = "`";
  for (const char c : text.substr(0, kLongest)) out += c >= 0x20 && c < 0x7f ? c : '?';
  return out + (text.size() > kLongest ? "...`" : "`");
}

} // namespace

std::string_view std_operation_name(StdOperation operation) {
  for (const auto& [name, value] : kOperations)
    if (value == operation) return name;
  return "";
}

StdLineError parse_std_line(std::string_view line, StdLine& out) {
  const auto column_of = [&](std::string_view part) {
    return static_cast<std::uint64_t>(part.data() - line.data()) + 1;
  };

  const std::size_t first_bar = line.find('|');
  if (first_bar == std::string_view::npos)
    return {fmt::format("expected `thread|operation|location`, got {}", quoted(line)), 1};
  out.thread = trim(line.substr(0, first_bar));
  if (out.thread.empty()) return {"there is no thread before the first `|`", 1};

  const std::string_view rest = line.substr(first_bar + 1);
  const std::size_t second_bar = rest.find('|');
  const std::string_view operation = trim(rest.substr(0, second_bar));
  const std::string_view location =
      second_bar == std::string_view::npos ? std::string_view{} : trim(rest.substr(second_bar + 1));

  const std::size_t open = operation.find('(');
  const std::string_view name = trim(operation.substr(0, open));
  bool known = false;
  for (const auto& [text, value] : kOperations) {
    if (text != name) continue;
    out.operation = value;
    known = true;
  }
  if (!known) return {fmt::format("unknown operation {}", quoted(name)), column_of(operation)};

  out.target = {};
  if (open != std::string_view::npos) {
    if (operation.back() != ')')
      return {fmt::format("the `(` of {} is not closed", quoted(name)), column_of(operation) + open};
    out.target = trim(operation.substr(open + 1, operation.size() - open - 2));
  }
  const bool needs_target = out.operation != StdOperation::Begin && out.operation != StdOperation::End;
  if (needs_target && out.target.empty()) return {fmt::format("{} has no target", quoted(name)), column_of(operation)};

  out.location.reset();
  if (!location.empty()) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(location.data(), location.data() + location.size(), number);
    if (error != std::errc{} || end != location.data() + location.size())
      return {fmt::format("the location {} is not a number", quoted(location)), column_of(location)};
    out.location = number;
  }
  return {};
}

} // namespace sooth::import
