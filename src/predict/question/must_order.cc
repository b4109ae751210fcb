#include "predict/question/must_order.h"

#include <algorithm>

#include "trace/kind_groups.h"

namespace sooth::predict {

using causality::StepId;

namespace {} // namespace

MustOrder::MustOrder(const trace::Trace& trace, const causality::Computation& computation)
    : computation_(computation), changes_(computation.threads.size()) {
  // Orders are sorted by their second step, and go forward in the observed run: every clock is final when it is used.
  for (std::size_t i = 0; i < computation.orders.size();) {
    const StepId second = computation.orders[i].second;
    const causality::Step& step = computation.steps[second];
    const causality::Clock* own = clock_at(step.thread, step.place);
    causality::Clock clock = own == nullptr ? causality::Clock() : *own;
    bool grew = false;
    for (; i < computation.orders.size() && computation.orders[i].second == second; ++i) {
      const StepId first = computation.orders[i].first;
      if (first >= second || ends_object(trace.events[step.event].kind)) continue;
      const causality::Step& before = computation.steps[first];
      grew |= clock[before.thread] < before.place + 1;
      clock.raise(before.thread, before.place + 1);
      if (const causality::Clock* its = clock_at(before.thread, before.place)) clock.join(*its);
    }
    if (grew) changes_[step.thread].push_back({step.place, std::make_shared<const causality::Clock>(std::move(clock))});
  }
}

const causality::Clock* MustOrder::clock_at(std::uint32_t thread, std::uint32_t place) const {
  const auto& changes = changes_[thread];
  const auto it = std::upper_bound(changes.begin(), changes.end(), place,
                                   [](std::uint32_t p, const Change& change) { return p < change.place; });
  return it == changes.begin() ? nullptr : std::prev(it)->clock.get();
}

bool MustOrder::precedes(StepId first, StepId second) const {
  const causality::Step& a = computation_.steps[first];
  const causality::Step& b = computation_.steps[second];
  if (a.thread == b.thread) return a.place <= b.place;
  const causality::Clock* clock = clock_at(b.thread, b.place);
  return clock != nullptr && (*clock)[a.thread] >= a.place + 1;
}

bool MustOrder::excludes(StepId a, StepId b) const {
  const auto bars = [&](StepId one, StepId other) {
    const causality::Step& step = computation_.steps[other];
    return step.place > 0 && precedes(one, computation_.threads[step.thread].steps[step.place - 1]);
  };
  return bars(a, b) || bars(b, a);
}

} // namespace sooth::predict
