// Builds a StepDependence from statements about events, one thread after the other, each in its
// order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "causality/computation/computation.h"
#include "causality/dependence/step_dependence.h"
#include "trace/trace.h"

namespace sooth::causality {

inline constexpr DependenceNode kNoNode = StepDependence::kNoNode;

class StepDependenceBuilder {
public:
  StepDependenceBuilder(const trace::Trace& trace, const Computation& computation);

  // The following calls are about this event. Events of one thread ascend, and a thread's events
  // come one after the other.
  void begin_event(std::uint32_t event);

  DependenceNode what_it_reads();                                   // the shared memory that the event's step reads
  DependenceNode depends_on(std::span<const DependenceNode> nodes); // kNoNode for none; the node itself for one

  // The event happens as it did, at the place where it did, only if these are as they were.
  void decided_by(DependenceNode node);
  // ... or what follows the event depends on it, as on the value that it reads itself: its thread
  // may stand before it all the same.
  void decided_by_what_follows(DependenceNode node);
  // What it writes depends on this. At most one call for each event.
  void writes_from(DependenceNode node, bool shared);
  // What it reads, if it does not write.
  void value_of_event_is(DependenceNode node);

  StepDependence finish();

private:
  void end_step();
  StepDependence::Slice add(std::vector<DependenceNode>& list);

  const trace::Trace& trace_;
  const Computation& computation_;
  StepDependence result_;
  StepId step_ = kNoStep;
  std::uint32_t event_ = 0;
  bool leads_ = false; // the event is the step's first, or glued to it; what follows is settled after the step began
  std::vector<DependenceNode> decides_, stands_, writes_;
  std::vector<DependenceNode> scratch_;
};

} // namespace sooth::causality
