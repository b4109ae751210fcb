// The accesses of an object that may come too late: the last one of each thread, kind and site,
// kMaxTouches of them (tries.h).
//
//     T1 reads p at a.c:3, a thousand times     one: the last
//     T2 reads p at a.c:3, and writes it        two
//
// Of those that are forgotten because there are too many, the last one of each thread is enough to
// know what that costs: if it comes before the object's end in every run, so do those that the
// thread made before it. Otherwise the object counts as undecided.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <absl/container/inlined_vector.h>

#include "causality/computation/computation.h"
#include "predict/question/coverage.h"
#include "predict/question/must_order.h"
#include "predict/question/tries.h"
#include "trace/trace.h"

namespace sooth::predict {

class LastTouches {
public:
  void add(const trace::Trace& trace, std::uint32_t event) {
    const trace::Event& e = trace.events[event];
    const auto same = std::ranges::find_if(events_, [&](std::uint32_t other) {
      const trace::Event& o = trace.events[other];
      return o.thread == e.thread && o.site == e.site && o.kind == e.kind;
    });
    if (same != events_.end()) {
      events_.erase(same);
    } else if (events_.size() == kMaxTouches) {
      forget(trace.events[events_.front()].thread, events_.front());
      events_.erase(events_.begin());
    }
    events_.push_back(event);
  }

  std::span<const std::uint32_t> events() const { return events_; } // oldest first

  // The object ends with `end`.
  void account(const trace::Trace& trace, const causality::Computation& computation, const MustOrder& must,
               std::uint32_t end, Coverage& coverage) const {
    const causality::StepId end_step = computation.step_of_event[end];
    const bool matters = std::ranges::any_of(forgotten_, [&](const auto& last) {
      const causality::StepId step = computation.step_of_event[last.second];
      return last.first != trace.events[end].thread && step != causality::kNoStep && end_step != causality::kNoStep &&
             !must.precedes(step, end_step);
    });
    if (matters) coverage.undecided_because("an object was accessed at more places than are remembered");
  }

private:
  void forget(std::uint32_t thread, std::uint32_t event) {
    const auto it = std::ranges::find(forgotten_, thread, &std::pair<std::uint32_t, std::uint32_t>::first);
    if (it == forgotten_.end()) forgotten_.emplace_back(thread, event);
    else it->second = std::max(it->second, event);
  }

  absl::InlinedVector<std::uint32_t, 4> events_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> forgotten_; // thread, its last event of these
};

} // namespace sooth::predict
