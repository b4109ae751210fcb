// Happens-before of the C++ memory model between two events of the recorded run, for findings of the engine
// "memory-model", which speak of the recorded run itself.
//
// Source: [intro.races], [atomics.order], [atomics.fences] of C++20; consume counts as acquire; a release sequence is a store
// and the read-modify-writes after it. What C++ does not know (signals of conditions, semaphores, barriers, futexes,
// annotations, handlers) orders rather more than less.
// It follows what is known of one event from thread to thread; no clocks. Cost: the events between the two.
#pragma once

#include "trace/trace.h"
#include "witness/memory_map.h"

namespace sooth::witness::checking {

// `first` stands before `second` in the trace.
bool happens_before(const trace::Trace& trace, EventNumber first, EventNumber second);

} // namespace sooth::witness::checking
