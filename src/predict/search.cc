#include "predict/search.h"

#include <absl/container/flat_hash_set.h>

#include <chrono>

#include "predict/execution.h"

namespace sooth::predict {
namespace {

using Clock = std::chrono::steady_clock;

class Search {
public:
  Search(const Index& index, const Question& question, const std::vector<std::uint32_t>& limits, const Limits& budget)
      : index_(index), question_(question), limits_(limits),
        until_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(budget.seconds_per_question))) {}

  Answer run() {
    Execution start(index_);
    const bool found = from(start);
    if (found) return {Truth::Yes, "search", run_, {}};
    if (timed_out_) return {Truth::Undecided, "search", {}, "budget"};
    return {Truth::No, "search", {}, {}};
  }

private:
  bool from(const Execution& execution) {
    if (satisfies(index_.computation, question_, execution.positions())) return true;
    if (timed_out_ || Clock::now() > until_) {
      timed_out_ = true;
      return false;
    }
    std::vector<std::uint32_t> key(execution.positions().begin(), execution.positions().end());
    for (std::size_t i = 0; i < execution.locations(); ++i) key.push_back(execution.memory(i));
    if (!seen_.insert(std::move(key)).second) return false;
    for (std::uint32_t t = 0; t < limits_.size(); ++t) {
      const StepId step = execution.next(t);
      if (step == kNoStep || execution.position(t) >= limits_[t] || !execution.allows(step, question_)) continue;
      Execution next = execution;
      next.take(step);
      run_.push_back(step);
      if (from(next)) return true;
      run_.pop_back();
    }
    return false;
  }

  const Index& index_;
  const Question& question_;
  const std::vector<std::uint32_t>& limits_;
  const Clock::time_point until_;
  bool timed_out_ = false;
  std::vector<StepId> run_;
  absl::flat_hash_set<std::vector<std::uint32_t>> seen_;
};

} // namespace

Answer search(const Index& index, const Question& question, const std::vector<std::uint32_t>& limits,
              const Limits& budget) {
  return Search(index, question, limits, budget).run();
}

} // namespace sooth::predict
