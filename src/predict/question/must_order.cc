#include "predict/question/must_order.h"

#include <algorithm>

#include "predict/question/thread_chains.h"
#include "trace/kind_groups.h"

namespace sooth::predict {

using causality::StepId;

MustOrder::MustOrder(const trace::Trace& trace, const causality::Computation& computation, Of orders)
    : computation_(computation), chain_(thread_chains(trace, computation)), offset_(computation.threads.size(), 0),
      changes_(computation.threads.size()) {
  std::vector<std::uint32_t> so_far; // by chain
  for (const causality::Step& step : computation.steps) {
    so_far.resize(std::max<std::size_t>(so_far.size(), std::size_t{chain_[step.thread]} + 1), 0);
    std::uint32_t& places = so_far[chain_[step.thread]];
    if (step.place == 0) offset_[step.thread] = places;
    ++places;
  }
  // Orders are sorted by their second step, and go forward in the observed run: every clock is
  // final when it is used.
  for (std::size_t i = 0; i < computation.orders.size();) {
    const StepId second = computation.orders[i].second;
    const causality::Step& step = computation.steps[second];
    const SharedCounts* own = clock_at(step.thread, step.place);
    SharedCounts clock = own == nullptr ? SharedCounts() : *own;
    bool grew = false;
    for (; i < computation.orders.size() && computation.orders[i].second == second; ++i) {
      const StepId first = computation.orders[i].first;
      if (first >= second || ends_object(trace.events[step.event].kind)) continue;
      const causality::Step& before = computation.steps[first];
      if (orders == Of::CreationAndJoining && trace.events[before.event].kind != trace::EventKind::Fork &&
          trace.events[step.event].kind != trace::EventKind::Join)
        continue;
      grew |= clock[chain_[before.thread]] < place(before) + 1;
      clock.raise(chain_[before.thread], place(before) + 1);
      if (const SharedCounts* its = clock_at(before.thread, before.place)) clock.join(*its);
    }
    if (grew) changes_[step.thread].push_back({step.place, std::move(clock)});
  }
}

const SharedCounts* MustOrder::clock_at(std::uint32_t thread, std::uint32_t place) const {
  const auto& changes = changes_[thread];
  const auto it = std::upper_bound(changes.begin(), changes.end(), place,
                                   [](std::uint32_t p, const Change& change) { return p < change.place; });
  return it == changes.begin() ? nullptr : &std::prev(it)->clock;
}

bool MustOrder::precedes(StepId first, StepId second) const {
  const causality::Step& a = computation_.steps[first];
  const causality::Step& b = computation_.steps[second];
  if (chain_[a.thread] == chain_[b.thread]) return place(a) <= place(b);
  const SharedCounts* clock = clock_at(b.thread, b.place);
  return clock != nullptr && (*clock)[chain_[a.thread]] >= place(a) + 1;
}

bool MustOrder::excludes(StepId a, StepId b) const {
  const auto bars = [&](StepId one, StepId other) {
    const causality::Step& step = computation_.steps[other];
    return step.place > 0 && precedes(one, computation_.threads[step.thread].steps[step.place - 1]);
  };
  return bars(a, b) || bars(b, a);
}

} // namespace sooth::predict
