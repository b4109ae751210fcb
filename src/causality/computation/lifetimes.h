// Objects in memory: their accesses come after their beginning and before their end.
//
// Question: which orders keep every access inside the life of its object, where several threads are concerned?
// Source: none; maximal models has no such objects. They are orders that every run keeps. An engine
//   that looks for accesses after the end asks with these orders waived (predict/question/feasibility.h).
// Shape: begin -> each thread's first access, each thread's last access -> end. The rest follows by thread order.
// Cost: one pass; a tree lookup for an access that is in another object than its thread's last one.
#pragma once

#include "causality/computation/effects.h"
#include "trace/trace.h"

namespace sooth::causality {

void add_lifetime_orders(const trace::Trace& trace, Effects& effects);

// The event begins or ends an object: its bytes are new, or gone.
constexpr bool renews_memory(trace::EventKind kind) {
  using trace::EventKind;
  return kind == EventKind::Alloc || kind == EventKind::Free || kind == EventKind::Map || kind == EventKind::Unmap ||
         kind == EventKind::StackBegin || kind == EventKind::StackEnd;
}

} // namespace sooth::causality
