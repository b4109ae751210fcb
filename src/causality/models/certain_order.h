// The order that a recording proves about its own run.
//
//     T1 write x = 1              not ordered with T2's write of x: both only looked at a clock
//     T2 write x = 2
//     T1 release m
//     T2 acquire m                certainly after T1's release, and so after T1's write of x
//
// Question: what had certainly happened when this event did?
// Source: docs/trace_format.md, "Order": numbers ascend along each thread and along each object
//   that is synchronised on, as it happened. The rest of the trace's order comes from looks and
//   values. It is one legal order, as good as the real one for every prediction, but not the real
//   one. So the certain orders are those of each thread, of each lock, of atomic operations on the
//   same place, and of the other primitives as far as both events took their numbers from the same
//   object. Left out, though other runs have to keep them: conflicts of plain accesses, failed
//   tries, lives of objects, and input from outside. Recorded with one clock (`kOneClock`), all
//   events that took a number are in their order, whatever they are.
// Cost: Algorithm A; as many clocks as there are events that leave something behind for others.
#pragma once

#include <absl/container/flat_hash_map.h>

#include "causality/computation/computation.h"
#include "causality/computation/operation_access.h"
#include "causality/models/algorithm_a.h"
#include "causality/models/model.h"

namespace sooth::causality {

class CertainOrder {
public:
  CertainOrder(const trace::Trace& trace, const Computation& computation);

  // Called in the trace's order, for each event: what it comes after, then, perhaps, that it
  // counts, then that others may come after it.
  void see(EventIndex event);
  void leave(EventIndex event);
  bool leaves_something(EventIndex event) const;
  AlgorithmA& clocks() { return clocks_; }

  // The step that begins with this event.
  StepId step_at(EventIndex event) const {
    const StepId step = computation_.step_of_event[event];
    return step != kNoStep && computation_.steps[step].event == event ? step : kNoStep;
  }

private:
  bool is_numbered(EventIndex event) const;
  template <typename Do>
  void for_each_access(EventIndex event, StepId step, Do act) const;
  bool is_certain(const Order& order) const;

  const trace::Trace& trace_;
  const Computation& computation_;
  const std::size_t all_; // an object that stands for everything
  AlgorithmA clocks_;
  absl::flat_hash_map<StepId, SharedClock> sources_;
};

} // namespace sooth::causality
