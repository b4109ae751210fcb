#include "predict/witness_of.h"

namespace sooth::predict {

witness::Witness witness_of(const causality::Computation& computation, const trace::Trace&,
                            std::span<const causality::StepId> run, std::vector<std::uint32_t> next) {
  witness::Witness witness;
  std::vector<std::uint32_t> events;
  for (const causality::StepId id : run) {
    const causality::Step& step = computation.steps[id];
    // Other threads' events stand between the step's own only in the trace; a step of one event is the usual case.
    for (std::uint32_t i = step.event; i <= step.last_event; ++i)
      if (computation.step_of_event[i] == id) events.push_back(i);
  }
  while (witness.observed < events.size() && events[witness.observed] == witness.observed) ++witness.observed;
  witness.steps.assign(events.begin() + static_cast<std::ptrdiff_t>(witness.observed), events.end());
  witness.next = std::move(next);
  return witness;
}

} // namespace sooth::predict
