#include "predict/question/feasibility.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <numeric>

#include "predict/question/closure.h"
#include "predict/question/execution.h"
#include "predict/question/index.h"
#include "predict/question/must_order.h"
#include "predict/question/search.h"
#include "predict/question/windows.h"

namespace sooth::predict {
namespace {

// Budget for closures over the whole trace, in lengths of the trace: there may be many questions,
// and time must grow with the trace only.
constexpr std::uint64_t kWholeTraces = 60;
// The same for searches in windows that are larger than the smallest ones.
constexpr std::uint64_t kSearchedTraces = 20;
constexpr std::size_t kGrowth = 8; // from one size of windows to the next
constexpr std::size_t kLargest = 1'000'000;

class Tiers final : public Feasibility {
public:
  Tiers(const causality::Computation& computation, witness::Model model, const Limits& limits)
      : index_(computation, model), limits_(limits), own_budget_(limits.seconds, limits.memory),
        budget_(limits.budget != nullptr ? *limits.budget : own_budget_), replay_(index_, limits.window / 4),
        windows_(sizes(index_, std::max<std::size_t>(limits.window, 1), replay_)) {}

  Answer ask(const Question& asked) const override {
    const std::optional<Question> longer = with_cancels(asked);
    const Question& question = longer ? *longer : asked;
    if (const char* reason = budget_.spent()) return {Truth::Undecided, "", {}, reason};
    if (index_.rules().needs == NeedsOfModel::ReleasedLocks && index_.lock_never_released)
      return {Truth::Undecided, "", {}, "a lock is never released, so whb does not apply"};
    const auto stands = [&](StepId step) { return step < index_.computation.standing; };
    if (std::ranges::any_of(question.before, stands)) return {Truth::No, "closure", {}, {}};
    const auto limits = limits_of(index_, question);
    if (!limits) return {Truth::No, "closure", {}, {}};
    Answer answer{Truth::Undecided, "search", {}, "it does not fit into one window"};
    for (const auto& windows : windows_) {
      const std::optional<Window> window = windows->around(question);
      if (window && windows != windows_.front() && !may_search(*window)) break;
      if (window) answer = ask_within(question, *limits, *windows, *window);
      if (answer.truth != Truth::Undecided || answer.slow || budget_.spent() != nullptr) break;
    }
    if (answer.truth != Truth::Undecided || windows_.front()->whole() || !may_look_at_all(question)) return answer;
    Window everything = windows_.front()->everything();
    if (everything.begin == 0) everything.base.clear(); // costs less
    const Answer closed = close_behind(question, *limits, *windows_.front(), everything);
    return closed.truth == Truth::Undecided ? answer : closed;
  }

  const Index& index() const override { return index_; }
  void renew() const override { looked_at_ = searched_ = 0; }

private:
  // A cancelled thread stands before its next step only after the cancellation.
  std::optional<Question> with_cancels(const Question& question) const {
    const causality::Computation& c = index_.computation;
    std::optional<Question> longer;
    if (c.cancels.empty()) return longer;
    for (const StepId step : question.before)
      for (const causality::Order& cancel : causality::Computation::ending_in(c.cancels, step)) {
        if (!longer) longer = question;
        longer->done.push_back(cancel.first);
      }
    return longer;
  }

  // Ever larger ones, up to the whole trace, if it is not too long.
  static std::vector<std::unique_ptr<Windows>> sizes(const Index& index, std::size_t size, const Replay& replay) {
    std::vector<std::unique_ptr<Windows>> out;
    out.push_back(std::make_unique<Windows>(index, size, replay));
    const std::size_t largest = std::min(index.computation.steps.size(), kLargest);
    while (size < largest) {
      size = std::min(size * kGrowth, largest);
      out.push_back(std::make_unique<Windows>(index, size, replay));
    }
    return out;
  }

  Answer ask_within(const Question& question, const std::vector<std::uint32_t>& limits, const Windows& windows,
                    const Window& window) const {
    Answer answer = close_behind(question, limits, windows, window);
    if (answer.truth == Truth::Undecided) answer = complete(question, limits, windows, window);
    // Runs that leave out something of what was observed before the window were not looked at.
    if (answer.truth == Truth::No && window.begin != index_.computation.standing) return nothing_within(answer.tier);
    return answer;
  }

  // The polynomial tier, for runs that begin with what was observed before the window.
  Answer close_behind(const Question& question, const std::vector<std::uint32_t>& limits, const Windows& windows,
                      const Window& window) const {
    if (!close(index_, question, limits, ClosureKind::Necessary, window.base)) return {Truth::No, "closure", {}, {}};
    const auto prefixes = close(index_, question, limits, ClosureKind::Preserving, window.base);
    if (!prefixes) return {};
    const std::vector<StepId> steps = observed_order(index_.computation, *prefixes, window.base);
    if (!objection_to(index_, question, window.base, steps).empty()) return {};
    return {Truth::Yes, "closure", behind(windows, window, steps), {}};
  }

  Answer complete(const Question& question, std::vector<std::uint32_t> limits, const Windows& windows,
                  const Window& window) const {
    for (std::uint32_t t = 0; t < limits.size(); ++t) {
      limits[t] = std::min(limits[t], index_.steps_before(t, window.end));
      // A thread that had to stop before the window does not go on in it.
      if (window.base[t] < index_.steps_before(t, window.begin)) limits[t] = window.base[t];
    }
    const Deadline deadline(budget_, limits_.seconds_per_question, Deadline::Time::OfThread);
    Answer answer = search(index_, question, window, std::move(limits), deadline);
    if (answer.truth == Truth::No && !windows.whole()) return nothing_within(answer.tier);
    if (answer.truth != Truth::Yes) return answer;
    // The plain definition has the last word.
    if (const std::string wrong = objection_to(index_, question, window.base, answer.run.steps); !wrong.empty())
      return {Truth::Undecided, answer.tier, {}, "an internal error: " + wrong};
    answer.run = behind(windows, window, answer.run.steps);
    return answer;
  }

  static Answer nothing_within(const char* tier) {
    return {Truth::Undecided, tier, {}, "no run was found within the window"};
  }

  static Run behind(const Windows& windows, const Window& window, const std::vector<StepId>& steps) {
    Run run = window.begin == 0 ? Run{} : windows.run_before(window);
    run.steps.insert(run.steps.end(), steps.begin(), steps.end());
    return run;
  }

  bool may_search(const Window& window) const {
    return searched_.fetch_add(window.end - window.begin, std::memory_order_relaxed) <
           kSearchedTraces * index_.computation.steps.size();
  }
  bool may_look_at_all(const Question& question) const {
    StepId last = 0;
    for (const StepId step : question.before) last = std::max(last, step);
    for (const StepId step : question.done) last = std::max(last, step);
    for (const causality::Order& order : question.sequence) last = std::max({last, order.first, order.second});
    return looked_at_.fetch_add(last, std::memory_order_relaxed) < kWholeTraces * index_.computation.steps.size();
  }

  const Index index_;
  const Limits limits_;
  const Budget own_budget_;
  const Budget& budget_;
  const Replay replay_;
  const std::vector<std::unique_ptr<Windows>> windows_; // by size
  mutable std::atomic<std::uint64_t> looked_at_{0};     // steps, by closures over the whole trace
  mutable std::atomic<std::uint64_t> searched_{0};      // steps of windows that are larger than the smallest ones
};

// Prepares for questions when the first one is asked: many traces leave none.
class Lazy final : public Feasibility {
public:
  Lazy(const causality::Computation& computation, witness::Model model, const Limits& limits)
      : computation_(computation), model_(model), limits_(limits) {}

  Answer ask(const Question& question) const override { return tiers().ask(question); }
  const Index& index() const override { return tiers().index(); }
  void renew() const override {
    if (tiers_ != nullptr) tiers_->renew();
  }

private:
  const Tiers& tiers() const {
    std::call_once(made_, [&] { tiers_ = std::make_unique<Tiers>(computation_, model_, limits_); });
    return *tiers_;
  }

  const causality::Computation& computation_;
  const witness::Model model_;
  const Limits limits_;
  mutable std::once_flag made_;
  mutable std::unique_ptr<Tiers> tiers_;
};

} // namespace

struct Feasibility::Musts {
  std::once_flag made[2];
  std::unique_ptr<const MustOrder> orders[2];

  const MustOrder& get(const Feasibility& of, const trace::Trace& trace, MustOrder::Of orders_of) {
    const auto which = static_cast<std::size_t>(orders_of);
    std::call_once(made[which], [&] {
      // Sliced causality by the letter allows more than the runs of the index.
      orders[which] = of.is_sliced() ? std::make_unique<MustOrder>(trace, of.index().computation, orders_of)
                                     : std::make_unique<MustOrder>(trace, of.index(), orders_of);
    });
    return *orders[which];
  }
};

Feasibility::Feasibility() : musts_(std::make_unique<Musts>()) {}
Feasibility::~Feasibility() = default;

const MustOrder& Feasibility::must(const trace::Trace& trace) const {
  return musts_->get(*this, trace, MustOrder::Of::Everything);
}
const MustOrder& Feasibility::must_by_lives(const trace::Trace& trace) const {
  return musts_->get(*this, trace, MustOrder::Of::CreationAndJoining);
}

Run::operator std::vector<causality::StepId>() const {
  std::vector<causality::StepId> all(observed + steps.size());
  std::iota(all.begin(), all.begin() + observed, causality::StepId{0});
  std::copy(steps.begin(), steps.end(), all.begin() + observed);
  return all;
}

std::unique_ptr<Feasibility> make_feasibility(const causality::Computation& computation, witness::Model model,
                                              const Limits& limits) {
  return std::make_unique<Lazy>(computation, model, limits);
}

} // namespace sooth::predict
