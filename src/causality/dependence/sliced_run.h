// From a path of sliced causality to a whole run.
//
// Question: given an order of relevant events, which run of all events has them in this order?
// Source: jPredictor, the proof of Theorem 1, which starts each thread when its next relevant event
//   is due. It does not say what the events in between do to each other.
// Where we differ: threads go only as far as they must: to their last event of the path, to what such an event depends on, to the end of a
//   section that somebody waits for. Of all that may come next, that comes which came first in the trace: so whatever the path does not ask to
//   be otherwise stays as it was observed, reads that decide see what they saw, and the checker has a chance to accept it.
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

  // `important`: by node, on what something relevant depends. Ends early where the path cannot be followed.
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
  std::vector<Clock> stands_for_; // by node that is no event: how many blocks of each thread it depends on
};

} // namespace sooth::causality
