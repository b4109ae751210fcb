// Hybrid dependence on events (jPredictor, section 2.3), from a trace and static facts.
//
//     1 T1 write x = 1
//     2 T2 read  x = 1         data: 1, the write that it saw
//     3 T2 branch on x         data: 2, from which its condition was computed
//     4 T2 write z = 5         inside the if: control: 3
//     5 T2 write y = 6         after the if: neither 3 nor 2
//
// Question: which events decide that an event is there, and which ones its state?
// Source: jPredictor, Definitions 2 and 3 (control-flow and data-flow dependence), Definition 7
//   (locks).
//     control   the latest event in whose scope this one's site is, in the same activation; if
//               there is none, the call that began the activation; the acquires of all locks that
//               are held; the reads from which the address was computed
//     data      1. the reads from which the value was computed; 2. of a read, the last write;
//               3. of a read, the latest events that decide about a write which did not happen
// Where we differ: orders of primitives other than locks (fork, join, signals, barriers) are
//   control dependence.
// Cost: linear in events and the sources and control parents of their sites.
#pragma once

#include <cstdint>
#include <vector>

#include "causality/computation/computation.h"
#include "causality/dependence/sliced_clocks.h"
#include "trace/trace.h"

namespace sooth::causality {

struct SlicedGraph {
  std::vector<SlicedNode> nodes;
  std::vector<std::uint32_t> node_of_event;               // by event
  std::vector<std::vector<std::uint32_t>> locks_of_event; // by event: the acquires of the locks that are held there
};

// The trace must be fit for dependence.
SlicedGraph sliced_graph(const trace::Trace& trace, const Computation& computation,
                         trace::ControlStrength strength = trace::ControlStrength::TerminationSensitive);

} // namespace sooth::causality
