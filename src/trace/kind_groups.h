// Groups of kinds of events that several rooms ask about.
#pragma once

#include "trace/trace.h"

namespace sooth::trace {

constexpr bool is_access(EventKind kind) { return reads_memory(kind) || writes_memory(kind); }
constexpr bool is_atomic(EventKind kind) {
  return kind == EventKind::AtomicRead || kind == EventKind::AtomicWrite || kind == EventKind::AtomicRmw;
}
constexpr bool ends_object(EventKind kind) {
  return kind == EventKind::Free || kind == EventKind::Unmap || kind == EventKind::StackEnd;
}

} // namespace sooth::trace
