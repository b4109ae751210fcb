#include "predict/deadlocks/standstill.h"

#include <algorithm>

#include <absl/container/btree_set.h>

#include "predict/deadlocks/blocking.h"
#include "predict/question/execution.h"

namespace sooth::predict {
namespace {

class Follower {
public:
  Follower(const trace::Trace& trace, const Index& index, const Question& question)
      : trace_(trace), index_(index), question_(question), execution_(index), blocking_(trace, index.computation),
        stands_(index.computation.threads.size(), false) {
    for (const StepId step : question.before) stands_[index.computation.steps[step].thread] = true;
    for (const causality::ThreadSteps& thread : index.computation.threads)
      if (!thread.steps.empty()) next_.insert(thread.steps.front());
  }

  Standstill follow(std::span<const StepId> run) {
    for (const StepId step : run) {
      if (!blocking_.allows(step)) return {}; // a count that the waived orders would have kept
      take(step);
    }
    for (StepId next = choose(); next != kNoStep; next = choose()) take(next);
    result_.stillness = judge();
    return std::move(result_);
  }

private:
  void take(StepId step) {
    execution_.take(step);
    blocking_.take(step);
    next_.erase(step);
    const StepId following = execution_.next(index_.computation.steps[step].thread);
    if (following != kNoStep) next_.insert(following);
    result_.run.push_back(step);
  }

  // The earliest step, in the observed order, that can happen.
  StepId choose() const {
    for (const StepId next : next_) {
      const bool stands = stands_[index_.computation.steps[next].thread];
      if (!stands && blocking_.allows(next) && execution_.allows(next, question_)) return next;
    }
    return kNoStep;
  }

  Stillness judge() {
    Stillness all = Stillness::Still;
    for (std::uint32_t t = 0; t < stands_.size(); ++t) {
      const StepId next = execution_.next(t);
      if (next == kNoStep) {
        if (blocking_.ended(t)) continue;
        if (t == 0) return Stillness::GoesOn; // the program is over
        all = Stillness::Unknown;             // it might do more than was recorded
      } else if (!never_begins(t)) {
        result_.requests.push_back(next);
        if (waits(next) && execution_.leads_to(next)) continue;
        if (stands_[t]) return Stillness::GoesOn;
        all = Stillness::Unknown;
      }
    }
    return all;
  }

  bool waits(StepId step) const {
    if (blocking_.waits(step)) return true;
    return std::ranges::any_of(next_, [&](StepId other) { return blocking_.waits_behind(step, other); });
  }

  // Its creator stands before the creation.
  bool never_begins(std::uint32_t thread) const {
    const std::vector<StepId>& own = index_.computation.threads[thread].steps;
    if (execution_.position(thread) != 0 || own.empty()) return false;
    return std::ranges::any_of(index_.orders(own.front()), [&](const causality::Order& order) {
      const trace::Event& e = trace_.events[index_.computation.steps[order.first].event];
      return e.kind == trace::EventKind::Fork && e.value == thread && !execution_.done(order.first);
    });
  }

  const trace::Trace& trace_;
  const Index& index_;
  const Question& question_;
  Execution execution_;
  Blocking blocking_;
  std::vector<bool> stands_;     // by thread
  absl::btree_set<StepId> next_; // of all threads
  Standstill result_;
};

} // namespace

Standstill follow(const trace::Trace& trace, const Index& index, const Question& question,
                  std::span<const StepId> run) {
  return Follower(trace, index, question).follow(run);
}

} // namespace sooth::predict
