// Memory that no other process can share: globals, malloc's blocks, stacks. Mappings may be shared.
#pragma once

#include <algorithm>

#include "trace/kind_groups.h"

namespace sooth::trace {

// At the end of the trace. Memory whose beginning was not recorded does not count.
inline bool is_own_memory(const Trace& trace, std::uint64_t address) {
  const auto holds = [&](const Global& global) { return address - global.address < global.bytes; };
  if (std::any_of(trace.globals.begin(), trace.globals.end(), holds)) return true;
  bool own = false;
  for (const Event& e : trace.events) {
    if (begins_or_ends_object(e.kind) && address - e.address < e.value)
      own = begins_object(e.kind) && e.kind != EventKind::Map;
  }
  return own;
}

} // namespace sooth::trace
