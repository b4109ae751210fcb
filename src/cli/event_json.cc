#include "cli/event_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trace/effects.h"

namespace sooth::cli {

using trace::Event;
using trace::EventKind;

namespace {

std::string hex(std::uint64_t number) { return fmt::format("{:#x}", number); }

std::string bytes_text(const trace::Trace& trace, std::uint64_t offset, std::uint64_t size) {
  std::string out;
  for (std::uint64_t i = 0; i < size && offset + i < trace.bytes.size(); ++i)
    out += fmt::format("{:02x}", trace.bytes[offset + i]);
  return out;
}

} // namespace

std::string event_json(const trace::Trace& trace, std::size_t index, const report::Narrator& narrator) {
  const Event& e = trace.events[index];
  const trace::Site& place = narrator.place();
  nlohmann::ordered_json out;
  out["n"] = index;
  out["thread"] = e.thread;
  out["kind"] = trace::kind_name(e.kind);
  out["address"] = hex(e.address);
  out["size"] = e.size;
  out["value"] = hex(e.value);
  out["memoryOrder"] = trace::order_name(e.order);
  out["file"] = place.file;
  out["line"] = place.line;
  out["column"] = place.column;
  out["function"] = place.function;
  out["variable"] = narrator.variable();
  out["flags"] = report::flag_names(e);
  if (e.thread < trace.threads.size() && !trace.threads[e.thread].name.empty())
    out["threadName"] = trace.threads[e.thread].name;

  const bool touches = trace::reads_memory(e.kind) || trace::writes_memory(e.kind);
  const bool has_bytes = touches && e.size > 8 && e.has(trace::kPayload);
  if (e.kind == EventKind::AtomicRmw) {
    if (has_bytes) out["readBytes"] = bytes_text(trace, e.extra, e.size);
    else out["readValue"] = hex(e.extra);
  }
  if (has_bytes) out["bytes"] = bytes_text(trace, e.extra + (e.kind == EventKind::AtomicRmw ? e.size : 0), e.size);
  if (touches)
    if (const std::string object = narrator.name_of(e.address); !object.empty()) out["object"] = object;
  std::uint32_t other = 0;
  if (report::other_thread(e, other)) out[e.kind == EventKind::ThreadStart ? "parent" : "child"] = other;
  if (report::is_named(e.kind)) out["name"] = report::string_at(trace, e.address);
  if (e.kind == EventKind::Watch) out["name"] = report::string_at(trace, e.value >> 32);
  if (moves_mutex(e.kind)) out["mutex"] = hex(e.value);
  if (report::is_lock_event(e.kind)) out["lockType"] = report::lock_type_text(e.value);
  // Names come from the program and may have any bytes; JSON is UTF-8.
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

} // namespace sooth::cli
