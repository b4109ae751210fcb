// The plain definition as a search: every run, step by step, with states that were seen before left out.
#pragma once

#include <set>
#include <vector>

#include "predict/question/execution.h"

namespace sooth::predict::testing {

class PlainSearch {
public:
  PlainSearch(const Index& index, const Question& question) : index_(index), question_(question) {}

  // False if there is no run; gives up, and says so in `gave_up`, after thirty thousand states.
  bool exists() { return from(Execution(index_)); }
  bool gave_up = false;

private:
  bool from(const Execution& execution) {
    if (satisfies(index_.computation, question_, execution.positions())) return true;
    std::vector<std::uint32_t> key(execution.positions().begin(), execution.positions().end());
    for (std::size_t i = 0; i < execution.locations(); ++i) key.push_back(execution.memory(i));
    if (!seen_.insert(std::move(key)).second) return false;
    if (seen_.size() > 30'000) gave_up = true;
    if (gave_up) return false;
    for (std::uint32_t t = 0; t < index_.computation.threads.size(); ++t) {
      const StepId step = execution.next(t);
      if (step == kNoStep || !execution.allows(step, question_)) continue;
      Execution next = execution;
      next.take(step);
      if (from(next)) return true;
    }
    return false;
  }

  const Index& index_;
  const Question& question_;
  std::set<std::vector<std::uint32_t>> seen_;
};

} // namespace sooth::predict::testing
