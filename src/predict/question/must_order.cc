#include "predict/question/must_order.h"

#include <algorithm>

#include "predict/question/thread_chains.h"
#include "trace/effects.h"
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
    const SharedCounts* own = clock_at(changes_[step.thread], step.place);
    SharedCounts clock = own == nullptr ? SharedCounts() : *own;
    i = join_orders(trace, i, second, orders, clock);
    if (own == nullptr ? !clock.empty() : !own->covers(clock))
      changes_[step.thread].push_back({step.place, std::move(clock)});
  }
}

std::size_t MustOrder::join_orders(const trace::Trace& trace, std::size_t order, StepId second, Of orders,
                                   SharedCounts& clock) const {
  using trace::EventKind;
  const EventKind end = trace.events[computation_.steps[second].event].kind;
  for (; order < computation_.orders.size() && computation_.orders[order].second == second; ++order) {
    const StepId first = computation_.orders[order].first;
    if (first >= second || ends_object(end) || destroys_primitive(end)) continue;
    const causality::Step& before = computation_.steps[first];
    if (orders == Of::CreationAndJoining && trace.events[before.event].kind != EventKind::Fork &&
        end != EventKind::Join)
      continue;
    clock.join(up_to(before));
  }
  return order;
}

SharedCounts MustOrder::up_to(const causality::Step& step) const {
  const SharedCounts* before = clock_at(changes_[step.thread], step.place);
  SharedCounts clock = before == nullptr ? SharedCounts() : *before;
  clock.raise(chain_[step.thread], place(step) + 1);
  return clock;
}

std::uint32_t MustOrder::steps_in(const SharedCounts& clock, std::uint32_t thread) const {
  const std::uint32_t of_chain = clock[chain_[thread]];
  if (of_chain <= offset_[thread]) return 0;
  return std::min(of_chain - offset_[thread], static_cast<std::uint32_t>(computation_.threads[thread].steps.size()));
}

const SharedCounts* MustOrder::clock_at(const std::vector<Change>& changes, std::uint32_t place) {
  const auto it = std::upper_bound(changes.begin(), changes.end(), place,
                                   [](std::uint32_t p, const Change& change) { return p < change.place; });
  return it == changes.begin() ? nullptr : &std::prev(it)->clock;
}

bool MustOrder::precedes(StepId first, StepId second) const {
  const causality::Step& a = computation_.steps[first];
  const causality::Step& b = computation_.steps[second];
  if (chain_[a.thread] == chain_[b.thread]) return place(a) <= place(b);
  const SharedCounts* clock = clock_at(changes_[b.thread], b.place);
  return clock != nullptr && (*clock)[chain_[a.thread]] >= place(a) + 1;
}

bool MustOrder::excludes(StepId a, StepId b) const {
  const auto bars = [&](StepId one, StepId other) {
    const causality::Step& step = computation_.steps[other];
    if (step.place > 0 && precedes(one, computation_.threads[step.thread].steps[step.place - 1])) return true;
    if (of_node_.empty()) return false;
    const causality::Step& first = computation_.steps[one];
    const causality::StepDependence& dependence = computation_.dependence;
    return std::ranges::any_of(dependence.of(dependence.steps[other].stands), [&](causality::DependenceNode node) {
      return of_node_[node][chain_[first.thread]] > place(first);
    });
  };
  return bars(a, b) || bars(b, a);
}

} // namespace sooth::predict
