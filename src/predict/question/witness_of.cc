#include "predict/question/witness_of.h"

#include <algorithm>
#include <iterator>

namespace sooth::predict {
namespace {

// The step's events from `from` on. In the trace, other threads' events may stand between the
// step's own; a step of one event is the usual case.
void add_events(const causality::Computation& computation, causality::StepId id, std::uint32_t from,
                std::vector<std::uint32_t>& events) {
  const causality::Step& step = computation.steps[id];
  for (std::uint32_t i = std::max(step.event, from); i <= step.last_event; ++i)
    if (computation.step_of_event[i] == id) events.push_back(i);
}

} // namespace

witness::Witness witness_of(const causality::Computation& computation, const trace::Trace& trace,
                            std::span<const causality::StepId> run, std::vector<std::uint32_t> next) {
  // What stands before a piece of a trace begins every run of it.
  const std::size_t standing = std::min<std::size_t>(computation.standing, run.size());
  const std::span<const causality::StepId> rest = run.subspan(standing);
  return witness_of(computation, trace, Run{static_cast<causality::StepId>(standing), {rest.begin(), rest.end()}},
                    std::move(next));
}

witness::Witness witness_of(const causality::Computation& computation, const trace::Trace& trace, const Run& run,
                            std::vector<std::uint32_t> next) {
  witness::Witness witness;
  witness.next = std::move(next);
  // All events before the first one of the next step are in the run; of the threads' last steps
  // some may stand behind it.
  std::uint32_t cut = 0;
  if (run.observed != 0)
    cut = run.observed < computation.steps.size() ? computation.steps[run.observed].event
                                                  : static_cast<std::uint32_t>(trace.events.size());
  std::vector<std::uint32_t> events;
  if (run.observed != 0)
    for (const causality::ThreadSteps& own : computation.threads) {
      const auto after = std::lower_bound(own.steps.begin(), own.steps.end(), run.observed);
      if (after != own.steps.begin()) add_events(computation, *std::prev(after), cut, events);
    }
  for (const causality::StepId id : run.steps) add_events(computation, id, 0, events);
  std::size_t same = 0;
  while (same < events.size() && events[same] == cut + same) ++same;
  witness.observed = cut + same;
  witness.steps.assign(events.begin() + static_cast<std::ptrdiff_t>(same), events.end());
  return witness;
}

} // namespace sooth::predict
