#include "import/views/event_words.h"

#include <fmt/format.h>

#include "trace/effects.h"

namespace sooth::import {

using trace::Event;
using trace::Trace;

std::string host_name(const Trace& trace, std::uint32_t thread) {
  std::string name = thread < trace.threads.size() ? trace.threads[thread].name : "";
  for (char& letter : name)
    if (static_cast<unsigned char>(letter) <= ' ' || letter == '"' || letter == '\\' || letter == 0x7f) letter = '_';
  if (name.empty()) return thread == 0 ? "main" : fmt::format("T{}", thread);
  return fmt::format("{}-{}", name, thread);
}

std::string target_name(const Trace& trace, const Event& event, const trace::AddressNames& names) {
  if (trace::object_of(event.kind) == trace::ObjectKind::Thread) {
    const bool other = event.kind == trace::EventKind::Fork || event.kind == trace::EventKind::Join;
    return other && event.value < trace.threads.size() ? host_name(trace, static_cast<std::uint32_t>(event.value)) : "";
  }
  if (!trace::is_place(trace::object_of(event.kind))) return {};
  // Of a call, the site has the name of the called function; in a system header, its names say
  // little.
  const bool touched = trace::reads_memory(event.kind) || trace::writes_memory(event.kind);
  if (touched && event.site < trace.sites.size()) {
    const trace::Site& site = trace.sites[event.site];
    if (!site.variable.empty() && (site.flags & trace::kSiteSystem) == 0) return site.variable;
  }
  const std::string name = names.name(event.address);
  return name.empty() ? fmt::format("{:#x}", event.address) : name;
}

std::string place_of(const Trace& trace, const Event& event) {
  if (event.site == 0 || event.site >= trace.sites.size()) return {};
  const trace::Site& site = trace.sites[event.site];
  return site.file.empty() || site.line == 0 ? std::string() : fmt::format("{}:{}", site.file, site.line);
}

} // namespace sooth::import
