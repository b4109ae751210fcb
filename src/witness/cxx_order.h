// Happens-before of the C++ memory model between two events of the recorded run, for findings of
// the engine "memory-model", which are about the recorded run itself.
//
//     T1 write data, T1 store flag (release), T2 load flag (acquire), T2 read data
//     knows of T1's write: T1; then flag; then T2. So the write happens before the read.
//
// Source: [intro.races], [atomics.order], [atomics.fences] of C++20; consume counts as acquire; a
//   release sequence is a store and the read-modify-writes after it. Primitives outside of the
//   standard (signals of conditions, semaphores, barriers, futexes, annotations, handlers) order
//   rather more than less.
// Where we differ: no clocks. It follows the knowledge of one event from thread to thread.
// Cost: the events between the two.
#pragma once

#include "trace/trace.h"
#include "witness/memory_map.h"

namespace sooth::witness::checking {

// `first` stands before `second` in the trace. Without `itself`: what `second` itself synchronises
// with does not count.
bool happens_before(const trace::Trace& trace, EventNumber first, EventNumber second, bool itself = true);

} // namespace sooth::witness::checking
