// Groups of kinds of events that several rooms ask about.
#pragma once

#include "trace/trace.h"

namespace sooth::trace {

constexpr bool is_access(EventKind kind) { return reads_memory(kind) || writes_memory(kind); }
constexpr bool is_atomic(EventKind kind) { return does(kind, act::kAtomic); }

// Heap blocks, mappings and stacks.
constexpr bool begins_object(EventKind kind) { return does_to(ObjectKind::Region, kind, act::kBegins); }
constexpr bool ends_object(EventKind kind) { return does_to(ObjectKind::Region, kind, act::kEnds); }
constexpr bool begins_or_ends_object(EventKind kind) { return object_of(kind) == ObjectKind::Region; }

} // namespace sooth::trace
