// Accesses of an object that are not remembered one by one any more, because there are too many
// (tries.h).
//
// Of each thread the last one is enough to know what that costs: if it comes before the object's
// end in every run, so do those that the thread made before it. Otherwise the object counts as
// undecided.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "causality/computation/computation.h"
#include "predict/question/coverage.h"
#include "predict/question/must_order.h"

namespace sooth::predict {

class ForgottenTouches {
public:
  void forget(std::uint32_t thread, std::uint32_t event) {
    const auto it = std::ranges::find(last_, thread, &std::pair<std::uint32_t, std::uint32_t>::first);
    if (it == last_.end()) last_.emplace_back(thread, event);
    else it->second = std::max(it->second, event);
  }

  // The object ends with `end`, an event of `thread`.
  void account(const causality::Computation& computation, const MustOrder& must, std::uint32_t thread,
               std::uint32_t end, Coverage& coverage) const {
    const causality::StepId end_step = computation.step_of_event[end];
    const bool matters = std::ranges::any_of(last_, [&](const auto& last) {
      const causality::StepId step = computation.step_of_event[last.second];
      return last.first != thread && step != causality::kNoStep && end_step != causality::kNoStep &&
             !must.precedes(step, end_step);
    });
    if (matters) coverage.undecided_because("an object was accessed at more places than are remembered");
  }

private:
  std::vector<std::pair<std::uint32_t, std::uint32_t>> last_; // thread, event
};

} // namespace sooth::predict
