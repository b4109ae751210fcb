#include "causality/recorded_order.h"

#include <algorithm>

#include <absl/container/flat_hash_map.h>

#include "causality/algorithm_a.h"
#include "causality/lifetimes.h"
#include "causality/operation_access.h"

namespace sooth::causality {

namespace {

using trace::Event;
using trace::EventKind;

class RecordedOrder : public Model {
public:
  RecordedOrder(const trace::Trace& trace, const Computation& computation, const Relevance& relevance)
      : trace_(trace), computation_(computation), steps_(trace.threads.size()) {
    clocks_.of_step.resize(steps_.size());
    stamp(relevance);
  }

  std::string_view name() const override { return "recorded"; }
  std::size_t threads() const override { return steps_.size(); }
  std::span<const ModelStep> steps(ThreadNumber thread) const override { return steps_[thread]; }
  bool enabled(Cut cut, ModelState, ThreadNumber thread) const override {
    const auto components = clocks_.of_step[thread][cut[thread]]->components();
    for (ThreadNumber t = 0; t < components.size(); ++t)
      if (t != thread && cut[t] < components[t]) return false;
    return true;
  }
  const Clocks* clocks() const override { return &clocks_; }

private:
  // A trace from outside has no clocks that were only looked at: its order is what it says.
  bool is_imported() const { return (trace_.flags & trace::kNoValues) != 0; }

  template <typename Do>
  void for_each_certain_access(StepId step, Do act) const {
    if (is_imported()) act(Access{all_, true});
    const bool atomic = (computation_.steps[step].flags & kAtomicStep) != 0;
    for (const Operation& o : computation_.operations_of(step)) {
      const bool of_memory = o.kind == OperationKind::Read || o.kind == OperationKind::Write;
      const bool holds = o.kind == OperationKind::HoldBegin || o.kind == OperationKind::HoldEnd;
      // A try that failed has no number from the time of the lock's holder.
      if (holds || o.kind == OperationKind::TryFailed || (of_memory && !atomic)) continue;
      act(access_of(o, computation_));
    }
  }

  bool is_certain(const Order& order) const {
    const Event& first = trace_.events[computation_.steps[order.first].event];
    const Event& second = trace_.events[computation_.steps[order.second].event];
    if (first.kind == EventKind::Fork) return true;
    if (second.kind == EventKind::Join) return !second.has(trace::kFailed);
    return trace::kind_is_ticketed(first.kind) && trace::kind_is_ticketed(second.kind) &&
           first.address == second.address && !renews_memory(first.kind) && !renews_memory(second.kind);
  }

  void stamp(const Relevance& relevance) {
    AlgorithmA clocks(trace_.threads.size(), all_ + 1);
    absl::flat_hash_map<StepId, SharedClock> sources;
    for (const Order& order : computation_.orders)
      if (is_certain(order)) sources.emplace(order.first, nullptr);
    auto next = relevance.events.begin();
    for (EventIndex i = 0; i < trace_.events.size(); ++i) {
      const ThreadNumber t = trace_.events[i].thread;
      const StepId step = computation_.step_of_event[i];
      const bool begins = step != kNoStep && computation_.steps[step].event == i;
      if (begins) see(clocks, t, step, sources);
      if (next != relevance.events.end() && *next == i) {
        ++next;
        clocks.count(t);
        steps_[t].push_back({i, true, false});
        clocks_.of_step[t].push_back(clocks.now(t));
      }
      if (begins) leave(clocks, t, step, sources);
    }
  }

  void see(AlgorithmA& clocks, ThreadNumber t, StepId step, const absl::flat_hash_map<StepId, SharedClock>& sources) {
    for_each_certain_access(step, [&](const Access& access) {
      if (access.writes) clocks.see_accesses(t, access.object);
      else clocks.see_writes(t, access.object);
    });
    const auto [first, last] = std::ranges::equal_range(computation_.orders, step, {}, &Order::second);
    for (auto order = first; order != last; ++order)
      if (is_certain(*order)) clocks.see(t, sources.at(order->first));
  }
  void leave(AlgorithmA& clocks, ThreadNumber t, StepId step, absl::flat_hash_map<StepId, SharedClock>& sources) {
    for_each_certain_access(step, [&](const Access& access) {
      if (access.writes) clocks.leave_write(t, access.object);
      else clocks.leave_read(t, access.object);
    });
    if (const auto source = sources.find(step); source != sources.end()) source->second = clocks.now(t);
  }

  const trace::Trace& trace_;
  const Computation& computation_;
  const std::size_t all_ = computation_.locations.size() + computation_.locks.size(); // stands for everything
  std::vector<std::vector<ModelStep>> steps_;
  Clocks clocks_;
};

} // namespace

std::unique_ptr<Model> make_recorded_order(const trace::Trace& trace, const Computation& computation,
                                           const Relevance& relevance) {
  return std::make_unique<RecordedOrder>(trace, computation, relevance);
}

} // namespace sooth::causality
