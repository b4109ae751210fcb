// Memory that no other process can share: globals, malloc's blocks, stacks. Mappings may be shared.
#pragma once

#include <algorithm>

#include "trace/trace.h"

namespace sooth::trace {

// At the end of the trace. Memory whose beginning was not recorded does not count.
inline bool is_own_memory(const Trace& trace, std::uint64_t address) {
  const auto holds = [&](const Global& global) { return address - global.address < global.bytes; };
  if (std::any_of(trace.globals.begin(), trace.globals.end(), holds)) return true;
  bool own = false;
  for (const Event& e : trace.events) {
    const bool begins = e.kind == EventKind::Alloc || e.kind == EventKind::StackBegin;
    const bool other = e.kind == EventKind::Map || e.kind == EventKind::Unmap || e.kind == EventKind::Free ||
                       e.kind == EventKind::StackEnd;
    if ((begins || other) && address - e.address < e.value) own = begins;
  }
  return own;
}

} // namespace sooth::trace
