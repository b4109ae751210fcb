#include "trace/program/initial_contents.h"

#include <algorithm>
#include <iterator>

namespace sooth::trace {

std::optional<std::uint8_t> initial_byte(const Trace& trace, std::uint64_t address) {
  if (!trace.initial_known) return {};
  const auto global = std::ranges::upper_bound(trace.globals, address, {}, &Global::address);
  if (global == trace.globals.begin()) return {};
  const std::uint64_t offset = address - std::prev(global)->address;
  if (offset >= std::prev(global)->bytes || offset >= kMaxInitial) return {};
  const auto held = std::ranges::upper_bound(trace.initial, address, {}, &InitialContents::address);
  if (held == trace.initial.begin() || address - std::prev(held)->address >= std::prev(held)->bytes.size()) return 0;
  return std::prev(held)->bytes[address - std::prev(held)->address];
}

} // namespace sooth::trace
