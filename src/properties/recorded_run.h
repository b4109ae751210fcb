// The user's properties on the recorded run itself.
//
//     T1 write x = 7, T2 write y = 1, not synchronised
//     `x < 5` fails in both orders: observed. `x >= y` fails in one of them: predicted at most.
//
// Question: where does a property fail first in the trace's order, and is it certain that it failed
//   in the recorded run? The trace's order is one that the recording allows. A violation in it has
//   happened if the property fails in all orders that the recording allows
//   (causality/models/recorded_order.h); otherwise it is one more possible run.
// Cost: one pass over the relevant events; if something fails, another one over the trace, and an
//   exploration that gives up early (explore/every_run.h).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "causality/computation/computation.h"
#include "causality/models/model.h"
#include "explore/property_monitors.h"
#include "trace/trace.h"

namespace sooth::properties {

// What to do about two events whose order is unknown: the end of a sentence, or nothing if
// everything was done.
const char* how_to_know_order(const trace::Trace& trace,
                              std::pair<causality::EventIndex, causality::EventIndex> events);

struct RecordedViolation {
  std::size_t monitor = 0;
  std::size_t steps = 0; // relevant events up to the one after which it fails
  bool certain = false;  // it fails in every order that the recording allows
};

class RecordedRun {
public:
  // All must outlive this.
  RecordedRun(const trace::Trace& trace, const causality::Computation& computation,
              const explore::PropertyMonitors& monitors);

  const std::vector<RecordedViolation>& violations() const { return violations_; } // by monitor
  // Of following it: conditions without a value in its states.
  const logic::Faults& faults() const { return faults_; }
  // Relevant events in the part whose order is unknown (Computation::first_misplaced) were not
  // looked at.
  bool ends_early() const { return ends_early_; }

  // The events up to there, in the trace's order.
  std::vector<causality::EventIndex> path(const RecordedViolation& violation) const;
  // Two events whose order the recording does not know: neighbours among those of the path, the
  // last ones.
  using Pair = std::optional<std::pair<causality::EventIndex, causality::EventIndex>>;
  Pair unordered(std::vector<causality::EventIndex> path) const;
  // The same, or one of the violation's and one that comes after it in the trace's order.
  Pair doubt(const RecordedViolation& violation) const;

private:
  void follow();
  void judge();
  const causality::Model& order() const;
  std::size_t index_of(causality::EventIndex event) const; // among the relevant ones
  bool is_before(causality::EventIndex first, causality::EventIndex second) const;

  const trace::Trace& trace_;
  const causality::Computation& computation_;
  const explore::PropertyMonitors& monitors_;
  const std::vector<explore::RelevantEvent>& events_;
  std::vector<causality::Count> places_; // by relevant event: its index among its thread's
  std::vector<RecordedViolation> violations_;
  logic::Faults faults_;
  bool ends_early_ = false;
  mutable std::unique_ptr<causality::Model> order_; // made when it is first needed
};

} // namespace sooth::properties
