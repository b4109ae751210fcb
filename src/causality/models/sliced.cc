// The causal model `sliced`: relevant events keep the order that they depend on; critical sections
// of the same lock may be swapped.
//
//     1 T1 write y = 1
//     2 T1 write x = 1
//     3 T2 read  x = 1
//     4 T2 branch on it       if (x == 0) ...
//     5 T2 write y = 2        after the if: happens whatever x was
//
// full: the branch depends on 3, so 3 comes after 2, and 1 before 5. sliced: 5 does not depend on
// the branch, so 1 and 5 are not ordered.
//
// Question: in which orders could the relevant events have come, if only what they depend on had to
//   happen as it did?
// Source: jPredictor: Definition 5 (sliced causality), section 3.1 (clocks), section 3.2
//   (lock-atomicity), Fig. 6 (consistent runs).
// Where we differ: the locks that threads hold stand for the counters LS of section 3.2. Nothing in
//   the order; see sliced_clocks.h and sliced_graph.h for misprints and gaps. But a path of this
//   model says nothing about all other events. `run_along` fills them in (sliced_run.h); the result
//   may not be a run of the program. A finding is shown only if the checker accepts it under `full`
//   (docs/sliced.md).
// Cost: clocks are made once; a step is enabled by comparing clocks, an acquire by looking at each
//   thread's locks.
#include <algorithm>

#include "causality/dependence/sliced_graph.h"
#include "causality/dependence/sliced_run.h"
#include "causality/models/model.h"

namespace sooth::causality {
namespace {

using trace::Event;

// Waits and wakes are no steps of their own: the mutex stays around them.
bool takes(const Event& e) {
  return does_to(trace::ObjectKind::Lock, e.kind, trace::act::kTakes) && !e.has(trace::kFailed);
}
bool gives(const Event& e) { return does_to(trace::ObjectKind::Lock, e.kind, trace::act::kGives); }
bool is_exclusive(const Event& acquire) { return !does(acquire.kind, trace::act::kShares); }

class Sliced final : public Model {
public:
  Sliced(const trace::Trace& trace, const Computation& computation, const Relevance& relevance)
      : trace_(trace), graph_(sliced_graph(trace, computation)), filling_(trace, computation, graph_),
        steps_(trace.threads.size()), held_(trace.threads.size()), of_thread_(trace.threads.size()) {
    for (std::uint32_t i = 0; i < trace.events.size(); ++i) of_thread_[trace.events[i].thread].push_back(i);
    make_steps(relevance);
  }

  std::string_view name() const override { return "sliced"; }
  std::size_t threads() const override { return steps_.size(); }
  std::span<const ModelStep> steps(ThreadNumber thread) const override { return steps_[thread]; }

  bool enabled(Cut cut, ModelState, ThreadNumber thread) const override {
    const EventIndex event = steps_[thread][cut[thread]].event;
    const Clock& clock = clocks_.clocks[graph_.node_of_event[event]];
    for (ThreadNumber other = 0; other < cut.size(); ++other)
      if (other != thread && cut[other] < clock[other]) return false;
    const Event& e = trace_.events[event];
    return !takes(e) || lock_is_free(cut, thread, e);
  }

  std::vector<EventIndex> run_along(std::span<const EventIndex> path) const override {
    return filling_.along(path, clocks_.important);
  }

private:
  struct Held {
    std::uint64_t lock = 0;
    bool exclusive = true;
  };

  // Steps are the relevant events, and the acquires and releases around them.
  void make_steps(const Relevance& relevance) {
    std::vector<Looked> looked(graph_.nodes.size(), Looked::Away);
    std::vector<bool> around(graph_.nodes.size(), false), visible(trace_.events.size(), false);
    for (const EventIndex event : relevance.events) {
      visible[event] = true;
      looked[graph_.node_of_event[event]] = Looked::State;
      for (const std::uint32_t acquire : graph_.locks_of_event[event]) around[acquire] = true;
    }
    std::vector<bool> lock_step(trace_.events.size(), false);
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
      const Event& e = trace_.events[i];
      const std::uint32_t node = graph_.node_of_event[i];
      lock_step[i] = takes(e) && around[node];
      if (gives(e))
        for (const std::uint32_t acquire : graph_.locks_of_event[i])
          lock_step[i] = lock_step[i] || (around[acquire] && last_release(i, acquire));
      if (lock_step[i] && looked[node] == Looked::Away) looked[node] = Looked::There;
    }
    clocks_ = sliced_clocks_offline(graph_.nodes, looked);
    for (ThreadNumber t = 0; t < steps_.size(); ++t) {
      std::vector<Held> now;
      held_[t].push_back(now);
      for (const std::uint32_t i : of_thread_[t]) {
        if (!visible[i] && !lock_step[i]) continue;
        const Event& e = trace_.events[i];
        if (lock_step[i] && takes(e)) now.push_back({e.address, is_exclusive(e)});
        if (lock_step[i] && gives(e)) std::erase_if(now, [&](const Held& held) { return held.lock == e.address; });
        steps_[t].push_back({i, visible[i], false});
        held_[t].push_back(now);
      }
    }
  }

  // Whether this release ends the section that the acquire began.
  bool last_release(std::uint32_t release, std::uint32_t acquire) const {
    const std::vector<std::uint32_t>& mine = of_thread_[trace_.events[release].thread];
    const auto here = std::ranges::lower_bound(mine, release);
    if (std::next(here) == mine.end()) return true;
    const auto& next = graph_.locks_of_event[*std::next(here)];
    return std::ranges::find(next, acquire) == next.end();
  }

  bool lock_is_free(Cut cut, ThreadNumber thread, const Event& acquire) const {
    for (ThreadNumber other = 0; other < cut.size(); ++other) {
      if (other == thread) continue;
      for (const Held& held : held_[other][cut[other]])
        if (held.lock == acquire.address && (held.exclusive || is_exclusive(acquire))) return false;
    }
    return true;
  }

  const trace::Trace& trace_;
  const SlicedGraph graph_;
  const SlicedRun filling_;
  SlicedClocks clocks_;
  std::vector<std::vector<ModelStep>> steps_;         // by thread
  std::vector<std::vector<std::vector<Held>>> held_;  // by thread and steps taken
  std::vector<std::vector<std::uint32_t>> of_thread_; // events
};

} // namespace

Result<std::unique_ptr<Model>> make_sliced(const trace::Trace& trace, const Computation& computation,
                                           const Relevance& relevance) {
  if (!trace.is_fit_for_dependence())
    return Error{"the model sliced needs a trace with static facts: compile with -fsooth-facts.", "", 0, 0};
  return std::unique_ptr<Model>(std::make_unique<Sliced>(trace, computation, relevance));
}

} // namespace sooth::causality
