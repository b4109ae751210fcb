// A run of relevant events for people: each step with its event, its value, its place in the
// observed order, and the state that it leads to. Threads and source lines are added where findings
// are described (report/).
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "explore/property_events.h"
#include "logic/property.h"
#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::properties {

class RunTable {
public:
  RunTable(const logic::PropertyFile& file, const explore::PropertyEvents& events, const trace::Trace& trace)
      : file_(file), events_(events), trace_(trace) {}

  // The steps are indices of trace events. Only the property's own variables are shown; of a long
  // run its end.
  witness::PropertyRun run(const logic::Property& property, std::span<const causality::EventIndex> path) const;

  // The event as a step of the recorded run.
  witness::RunStep recorded_step(const logic::Property& property, causality::EventIndex event) const;

  // "x = 1, y = 0": the state after these steps.
  std::string state_after(const logic::Property& property, std::span<const causality::EventIndex> path) const;
  // "radio = 0": what the event does after the steps of `before`.
  std::string step_after(const logic::Property& property, std::span<const causality::EventIndex> before,
                         causality::EventIndex event) const;

private:
  struct State;
  State follow(std::span<const causality::EventIndex> path) const;
  std::string step_text(const explore::RelevantEvent& event, const State& after, const logic::Property& property) const;
  std::string state_text(const State& state, const logic::Property& property) const;
  const explore::RelevantEvent& relevant(causality::EventIndex event) const;

  const logic::PropertyFile& file_;
  const explore::PropertyEvents& events_;
  const trace::Trace& trace_;
};

// The value of a variable's bytes, in its type.
std::string value_text(const logic::ScalarType& type, std::uint64_t bits);
// "call f", "start of thread 2": what happened, as the property file names it.
std::string event_name(const logic::EventPredicate& predicate);
// The property's entry and its place, and nothing of a run yet.
witness::PropertyRun rule_of(const logic::Property& property);

} // namespace sooth::properties
