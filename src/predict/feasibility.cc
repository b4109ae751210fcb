#include "predict/feasibility.h"

#include <chrono>

#include "predict/closure.h"
#include "predict/execution.h"
#include "predict/index.h"
#include "predict/search.h"
#include "predict/windows.h"

namespace sooth::predict {
namespace {

using Time = std::chrono::steady_clock;

Time::time_point after(Time::time_point start, double seconds) {
  return start + std::chrono::duration_cast<Time::duration>(std::chrono::duration<double>(seconds));
}

class Tiers final : public Feasibility {
public:
  Tiers(const causality::Computation& computation, witness::Model model, const Limits& limits)
      : index_(computation, model), limits_(limits), windows_(index_, std::max<std::size_t>(limits.window, 1)) {}

  Answer ask(const Question& question) const override {
    if (index_.model == witness::Model::WeakHappensBefore && index_.lock_never_released)
      return {Truth::Undecided, "", {}, "a lock is never released, so whb does not apply"};
    const auto limits = limits_of(index_.computation, question);
    if (!limits || !close(index_, question, *limits, ClosureKind::Necessary)) return {Truth::No, "closure", {}, {}};
    if (const auto prefixes = close(index_, question, *limits, ClosureKind::Preserving)) {
      std::vector<StepId> run = observed_order(index_.computation, *prefixes);
      if (objection_to(index_, question, run).empty()) return {Truth::Yes, "closure", std::move(run), {}};
    }
    return complete(question, *limits);
  }

  const Index& index() const override { return index_; }

private:
  Answer complete(const Question& question, std::vector<std::uint32_t> limits) const {
    const auto window = windows_.around(question);
    if (!window) return {Truth::Undecided, "search", {}, "it does not fit into one window"};
    for (std::uint32_t t = 0; t < limits.size(); ++t) {
      limits[t] = std::min(limits[t], index_.steps_before(t, window->end));
      // A thread that had to stop before the window does not go on in it.
      if (window->base[t] < index_.steps_before(t, window->begin)) limits[t] = window->base[t];
    }
    Time::time_point until = after(Time::now(), limits_.seconds_per_question);
    if (limits_.seconds > 0) until = std::min(until, after(start_, limits_.seconds));

    Answer answer = search(index_, question, *window, std::move(limits), until);
    if (answer.truth == Truth::No && !windows_.whole())
      return {Truth::Undecided, answer.tier, {}, "no run was found within the window"};
    if (answer.truth != Truth::Yes) return answer;
    std::vector<StepId> run = windows_.run_before(*window);
    run.insert(run.end(), answer.run.begin(), answer.run.end());
    // The last word has the plain definition.
    if (const std::string wrong = objection_to(index_, question, run); !wrong.empty())
      return {Truth::Undecided, answer.tier, {}, "an internal error: " + wrong};
    answer.run = std::move(run);
    return answer;
  }

  const Index index_;
  const Limits limits_;
  const Windows windows_;
  const Time::time_point start_ = Time::now();
};

} // namespace

std::unique_ptr<Feasibility> make_feasibility(const causality::Computation& computation, witness::Model model,
                                              const Limits& limits) {
  return std::make_unique<Tiers>(computation, model, limits);
}

} // namespace sooth::predict
