#include "predict/races/races.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>

#include "predict/question/witness_of.h"
#include "predict/races/linear.h"
#include "predict/races/race_candidates.h"

namespace sooth::predict {
namespace {

using causality::Computation;
using causality::StepId;
using witness::Finding;
using witness::Role;

constexpr std::uint32_t kFarApart = 5000; // events
constexpr unsigned kMaxSlow = 2;          // questions of one candidate that run out of time

struct Decision {
  std::optional<Finding> finding;
  std::string undecided; // the reason, if there is no finding and no certainty
  std::string refuted = "no run of the model has both threads there"; // if there is none for sure
  std::uint64_t questions = 0;
};

class Races {
public:
  Races(const trace::Trace& trace, const Computation& computation, const Feasibility& feasibility, witness::Model model)
      : trace_(trace), c_(computation), feasibility_(feasibility), model_(model) {
    for (const RaceInstance& race : linear_pass(trace).races) plain_.insert({race.first, race.second});
  }

  Decision decide(RaceCandidate candidate) const {
    Decision decision;
    unsigned slow = 0;
    // What the linear tier found needs only a witness. If its accesses are far apart, the closest ones are asked about first:
    // a short witness costs less.
    const auto plain = std::ranges::find_if(candidate.instances, [&](const RaceInstance& i) { return is_plain(i); });
    if (plain != candidate.instances.end()) {
      const auto front = candidate.instances.begin();
      std::rotate(plain->second - plain->first > kFarApart && plain != front ? front + 1 : front, plain, plain + 1);
    }
    for (const RaceInstance& instance : candidate.instances) {
      ++decision.questions;
      const Answer answer = feasibility_.ask(question(instance));
      if (answer.truth == Truth::Yes) {
        decision.finding = finding(instance, answer);
        decision.finding->count = candidate.all;
        decision.undecided.clear();
        return decision;
      }
      if (answer.truth == Truth::No && !answer.reason.empty()) decision.refuted = answer.reason;
      if (answer.truth != Truth::Undecided) continue;
      if (decision.undecided.empty()) decision.undecided = answer.reason;
      // Whoever takes too long at one pair of accesses takes too long at the next one, and other candidates wait.
      if (answer.slow && ++slow == kMaxSlow) break;
    }
    if (decision.undecided.empty() && candidate.cut)
      decision.undecided = "there are too many pairs of accesses at the same two places";
    return decision;
  }

private:
  bool is_plain(const RaceInstance& instance) const { return plain_.contains({instance.first, instance.second}); }

  Question question(const RaceInstance& instance) const {
    Question question;
    for (const std::uint32_t event : {instance.first, instance.second}) {
      const StepId step = c_.step_of_event[event];
      question.before.push_back(step);
      // Whoever is about to touch an object finds it there.
      const auto [from, to] = std::ranges::equal_range(c_.orders, step, {}, &causality::Order::second);
      for (auto order = from; order != to; ++order) question.done.push_back(order->first);
    }
    return question;
  }

  Finding finding(const RaceInstance& instance, const Answer& answer) const {
    Finding finding;
    finding.kind = witness::FindingKind::Race;
    finding.model = model_;
    finding.engine = is_plain(instance) && answer.tier == std::string_view("closure") ? "linear" : answer.tier;
    finding.places = {{instance.first, Role::Access}, {instance.second, Role::Access}};
    finding.witness = witness_of(c_, trace_, answer.run, {instance.first, instance.second});
    // The recorded run itself had both threads there.
    finding.status = finding.witness.steps.empty() ? witness::Status::Observed : witness::Status::Predicted;
    return finding;
  }

  const trace::Trace& trace_;
  const Computation& c_;
  const Feasibility& feasibility_;
  const witness::Model model_;
  absl::flat_hash_set<std::pair<std::uint32_t, std::uint32_t>> plain_;
};

} // namespace

std::vector<Finding> find_races(const trace::Trace& trace, const Computation& computation,
                                const Feasibility& feasibility, witness::Model model, const Limits& limits,
                                Coverage& coverage, const Progress& progress) {
  const Budget unlimited;
  const Budget& budget = limits.budget != nullptr ? *limits.budget : unlimited;
  const std::vector<RaceCandidate> candidates = race_candidates(trace, computation, kMaxInstances, budget);
  if (const char* reason = budget.spent())
    coverage.undecided_because(std::string("not all pairs of accesses were looked at: ") + reason);
  const Races races(trace, computation, feasibility, model);
  std::vector<Decision> decisions(candidates.size());
  std::atomic<std::size_t> next{0};
  std::mutex told;
  std::size_t done = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < candidates.size(); i = next++) {
      decisions[i] = races.decide(candidates[i]);
      if (!progress) continue;
      const std::lock_guard lock(told);
      progress(++done, candidates.size());
    }
  };
  const unsigned jobs = limits.jobs != 0 ? limits.jobs : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> workers;
  for (unsigned i = 1; i < std::min<std::size_t>(jobs, candidates.size()); ++i) workers.emplace_back(work);
  work();
  for (std::thread& worker : workers) worker.join();

  std::vector<Finding> findings;
  coverage.candidates += candidates.size();
  if (computation.steps.size() > limits.window)
    coverage.windows = std::max<std::uint64_t>(coverage.windows,
                                               computation.steps.size() / std::max<std::size_t>(limits.window, 1) + 1);
  for (Decision& decision : decisions) {
    coverage.questions += decision.questions;
    const RaceInstance& first = candidates[static_cast<std::size_t>(&decision - decisions.data())].instances.front();
    std::vector<witness::Place> places = {{first.first, Role::Access}, {first.second, Role::Access}};
    if (!decision.undecided.empty())
      coverage.undecided_about(witness::FindingKind::Race, std::move(places), decision.undecided);
    else if (!decision.finding) coverage.suspect(witness::FindingKind::Race, std::move(places), decision.refuted);
    if (decision.finding) findings.push_back(std::move(*decision.finding));
  }
  std::ranges::sort(findings, [](const Finding& a, const Finding& b) {
    return std::pair(a.places[0].event, a.places[1].event) < std::pair(b.places[0].event, b.places[1].event);
  });
  return findings;
}

} // namespace sooth::predict
