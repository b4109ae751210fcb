#include "trace/program/inline_facts.h"

#include <utility>

namespace sooth::trace {

bool read_inlined_calls(std::span<const std::uint8_t> payload, const StringAt& string, std::span<Site> sites,
                        Trace& trace) {
  Words words(payload);
  const std::uint32_t count = words.next();
  if (!words.has(count, 6)) return false;
  // Call 1 of the module becomes base + 1.
  const auto base = static_cast<std::uint32_t>(trace.inlined_calls.empty() ? 0 : trace.inlined_calls.size() - 1);
  std::vector<InlinedCall> calls;
  for (std::uint32_t i = 0; i < count; ++i) {
    InlinedCall call;
    call.file = string(words.next());
    call.line = words.next();
    call.column = words.next();
    call.function = string(words.next());
    call.flags = words.next();
    const std::uint32_t around = words.next();
    if (around > i) return false; // names only earlier calls, so there is no cycle
    call.inlined_at = around == 0 ? 0 : base + around;
    calls.push_back(std::move(call));
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> rows;
  while (words.good() && !words.at_end()) {
    const std::uint32_t row = words.next(), call = words.next();
    if (!words.good() || row >= sites.size() || call == 0 || call > count) return false;
    rows.emplace_back(row, base + call);
  }
  if (!words.good()) return false;
  if (trace.inlined_calls.empty()) trace.inlined_calls.emplace_back();
  trace.inlined_calls.insert(trace.inlined_calls.end(), std::make_move_iterator(calls.begin()),
                             std::make_move_iterator(calls.end()));
  for (const auto& [row, call] : rows) sites[row].inlined_at = call;
  return true;
}

bool read_call_objects(std::span<const std::uint8_t> payload, const StringAt& string, std::span<Site> sites) {
  Words words(payload);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> rows;
  while (words.good() && !words.at_end()) {
    const std::uint32_t row = words.next(), name = words.next();
    if (!words.good() || row >= sites.size()) return false;
    rows.emplace_back(row, name);
  }
  if (!words.good()) return false;
  for (const auto& [row, name] : rows) sites[row].object = string(name);
  return true;
}

namespace {

void put_call_objects(const Trace& trace, StringTable& strings, std::vector<std::uint8_t>& out) {
  std::vector<std::uint8_t> payload;
  for (std::size_t i = 1; i < trace.sites.size(); ++i) {
    if (trace.sites[i].object.empty()) continue;
    put(payload, static_cast<std::uint32_t>(i - 1));
    put(payload, strings.add(trace.sites[i].object));
  }
  if (!payload.empty()) put_section(out, kFactObjects, payload);
}

} // namespace

std::vector<std::uint8_t> make_inline_facts(const Trace& trace, StringTable& strings) {
  std::vector<std::uint8_t> out;
  put_call_objects(trace, strings, out);
  if (trace.inlined_calls.size() <= 1) return out;
  std::vector<std::uint8_t> payload;
  put(payload, static_cast<std::uint32_t>(trace.inlined_calls.size() - 1));
  for (std::size_t i = 1; i < trace.inlined_calls.size(); ++i) {
    const InlinedCall& call = trace.inlined_calls[i];
    put(payload, strings.add(call.file));
    put(payload, call.line);
    put(payload, call.column);
    put(payload, strings.add(call.function));
    put(payload, call.flags);
    put(payload, call.inlined_at);
  }
  for (std::size_t i = 1; i < trace.sites.size(); ++i) {
    if (trace.sites[i].inlined_at == 0) continue;
    put(payload, static_cast<std::uint32_t>(i - 1));
    put(payload, trace.sites[i].inlined_at);
  }
  put_section(out, kFactInlined, payload);
  return out;
}

} // namespace sooth::trace
