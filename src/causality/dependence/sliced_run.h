// From a path of sliced causality to a whole run.
//
//     path: T2's write of y, then T1's write of y
//     run:  T2's events up to its write of y, then T1's events up to its own
//
// Question: given an order of relevant events, which run of all events has them in this order?
// Source: jPredictor, the proof of Theorem 1, which starts each thread when its next relevant event
//   is due. It does not say what the events in between do to each other.
// Where we differ: threads go only as far as they must: to their last event of the path, to events
//   that it depends on, to the end of a critical section that another thread waits for. Of all
//   events that may come next, the one that came first in the trace is taken. So everything that
//   the path does not change stays as observed, reads that influence a decision see what they saw,
//   and the checker has a chance to accept it.
// Cost: linear in the events of the run, their dependence and the threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "causality/computation/blocks.h"
#include "causality/computation/clock.h"
#include "causality/computation/computation.h"
#include "causality/dependence/sliced_graph.h"
#include "causality/models/model.h"
#include "trace/trace.h"

namespace sooth::causality {

class SlicedRun {
public:
  SlicedRun(const trace::Trace& trace, const Computation& computation, const SlicedGraph& graph);

  // `important`: by node, whether something relevant depends on it. Ends early where the path
  // cannot be followed.
  std::vector<EventIndex> along(std::span<const EventIndex> path, const std::vector<bool>& important) const;

private:
  class Filling;

  const trace::Trace& trace_;
  const Computation& computation_;
  const SlicedGraph& graph_;
  const Blocks blocks_;
  std::vector<std::vector<std::uint32_t>> of_thread_; // blocks, in their order
  std::vector<std::uint32_t> block_of_;               // by event
  std::vector<std::uint32_t> place_;                  // by block: its index in of_thread_
  std::vector<Clock> stands_for_; // by node that is not an event: how many blocks of each thread it depends on
};

} // namespace sooth::causality
