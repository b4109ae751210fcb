// Accesses whose order the recording does not know.
//
//     1 T1 write x = 1
//     2 T2 read  x = 1       not ordered with 1: from here on, what T2 knows is not certain
//     3 T1 release m
//     4 T2 acquire m         after 3, and so after 1
//     5 T2 read  x = 1       certainly after 1
//
// Question: up to which event is it certain what threads that follow some variables knew?
// Two accesses of the same bytes, one of them a write, that are not ordered for certain
// (causality/models/certain_order.h), may have happened the other way round. So may all accesses of
// their threads there since they were last ordered. A failed try of a lock has no number: the owner
// of the lock may have done more, or less, by then.
// Cost: one pass of Algorithm A; for each access a look at each other thread that was there.
#pragma once

#include <optional>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "causality/models/certain_order.h"

namespace sooth::properties {

struct Doubt {
  causality::EventIndex from = 0;              // what happened before this event is certain
  causality::EventIndex first = 0, second = 0; // or the other way round
};

class UnorderedAccesses {
public:
  UnorderedAccesses(const trace::Trace& trace, const causality::Computation& computation)
      : trace_(trace), computation_(computation), order_(trace, computation) {}

  // Each event of the trace, in its order. `follows(address, bytes)`: whether that is of interest.
  template <typename Follows>
  void take(causality::EventIndex event, Follows follows) {
    order_.see(event);
    if (const causality::StepId step = order_.step_at(event); step != causality::kNoStep)
      for (const causality::Operation& o : computation_.operations_of(step))
        if (is_of_memory(o.kind) &&
            follows(computation_.locations[o.object].address, computation_.locations[o.object].bytes))
          look_at_memory(event, o);
    look_at_tries(event);
    if (order_.leaves_something(event)) order_.clocks().count(trace_.events[event].thread);
    order_.leave(event);
  }

  const std::optional<Doubt>& doubt() const { return doubt_; } // the earliest one

private:
  // Of one thread at one place: one for each count of its clock, and one more if a write follows
  // reads there.
  struct Visit {
    causality::Count count;
    causality::EventIndex event;
    bool writes;
  };
  struct Visitor {
    causality::ThreadNumber thread;
    std::vector<Visit> visits; // ascending
  };

  static bool is_of_memory(causality::OperationKind kind) {
    return kind == causality::OperationKind::Read || kind == causality::OperationKind::Write;
  }
  void look_at_memory(causality::EventIndex event, const causality::Operation& operation);
  void look_at_tries(causality::EventIndex event);
  void add(const Doubt& doubt) {
    if (!doubt_ || doubt.from < doubt_->from) doubt_ = doubt;
  }

  const trace::Trace& trace_;
  const causality::Computation& computation_;
  causality::CertainOrder order_;
  absl::flat_hash_map<std::uint32_t, std::vector<Visitor>> visitors_; // by location
  absl::flat_hash_map<std::uint64_t, causality::EventIndex> last_at_; // by address of what is synchronised on
  std::optional<Doubt> doubt_;
};

} // namespace sooth::properties
