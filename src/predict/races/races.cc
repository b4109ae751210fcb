#include "predict/races/races.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>

#include "predict/question/index.h"
#include "predict/question/must_order.h"
#include "predict/question/witness_of.h"
#include "predict/races/flag_locks.h"
#include "predict/races/linear.h"
#include "predict/races/race_candidates.h"
#include "trace/place_names.h"

namespace sooth::predict {
namespace {

using causality::Computation;
using causality::StepId;
using witness::Finding;
using witness::Role;

constexpr std::uint32_t kFarApart = 5000; // events
constexpr unsigned kMaxSlow = 2;          // questions of one candidate that run out of time

// What candidates that only add lines to a finding may cost.
constexpr std::size_t kTriesAlike = 8;                      // pairs of accesses of each
constexpr std::size_t kMostAlike = 20'000;                  // candidates
constexpr std::size_t kWitnessSteps = std::size_t{1} << 24; // of all their witnesses

struct Decision {
  std::optional<Finding> finding;
  std::string undecided; // the reason, if there is no finding and no certainty
  std::string refuted = "no run of the model has both threads there"; // if there is certainly none
  std::uint64_t questions = 0;
};

class Races {
public:
  Races(const trace::Trace& trace, const Computation& computation, const Feasibility& feasibility, witness::Model model)
      : trace_(trace), c_(computation), feasibility_(feasibility), model_(model) {
    for (const RaceInstance& race : linear_pass(trace).races) plain_.insert({race.first, race.second});
  }

  // `tries`: pairs of accesses that are asked about.
  Decision decide(RaceCandidate candidate, std::size_t tries) const {
    Decision decision;
    unsigned slow = 0;
    // A race of the linear tier needs only a witness. If its accesses are far apart, the closest
    // ones are asked about first: a short witness costs less.
    const auto plain = std::ranges::find_if(candidate.instances, [&](const RaceInstance& i) { return is_plain(i); });
    if (plain != candidate.instances.end()) {
      const auto front = candidate.instances.begin();
      std::rotate(plain->second - plain->first > kFarApart && plain != front ? front + 1 : front, plain, plain + 1);
    }
    if (candidate.instances.size() > tries) candidate.instances.resize(tries), candidate.cut = true;
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
      // If one pair of accesses takes too long, so does the next one, and other candidates wait.
      if (answer.slow && ++slow == kMaxSlow) break;
    }
    if (decision.undecided.empty() && candidate.cut)
      decision.undecided = "not all pairs of accesses at the same two places were looked at, only the closest ones";
    return decision;
  }

private:
  bool is_plain(const RaceInstance& instance) const { return plain_.contains({instance.first, instance.second}); }

  Question question(const RaceInstance& instance) const {
    Question question;
    for (const std::uint32_t event : {instance.first, instance.second}) {
      const StepId step = c_.step_of_event[event];
      question.before.push_back(step);
      // A thread that is about to touch an object finds it alive.
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

// Candidates of one variable and two functions, the closest accesses first.
using Alike = std::vector<std::size_t>;

std::vector<Alike> each_alone(const std::vector<RaceCandidate>& candidates) {
  std::vector<Alike> out;
  for (std::size_t i = 0; i < candidates.size(); ++i) out.push_back({i});
  return out;
}

std::vector<Alike> alike(const trace::Trace& trace, const std::vector<RaceCandidate>& candidates) {
  std::vector<std::uint32_t> events;
  for (const RaceCandidate& candidate : candidates) {
    events.push_back(candidate.instances.front().first);
    events.push_back(candidate.instances.front().second);
  }
  const std::vector<trace::PlaceName> names = trace::place_names(trace, events);
  std::map<std::pair<trace::PlaceName, trace::PlaceName>, Alike> groups;
  for (std::size_t i = 0; i < candidates.size(); ++i) groups[std::minmax(names[2 * i], names[2 * i + 1])].push_back(i);
  std::vector<Alike> out;
  for (auto& [name, group] : groups) {
    std::ranges::sort(group, {}, [&](std::size_t i) {
      const RaceInstance& closest = candidates[i].instances.front();
      return std::pair(closest.second - closest.first, i);
    });
    out.push_back(std::move(group));
  }
  return out;
}

class Decider {
public:
  Decider(const Races& races, const std::vector<RaceCandidate>& candidates, const Limits& limits,
          const Progress& progress)
      : decisions(candidates.size()), races_(races), candidates_(candidates), limits_(limits), progress_(progress) {}

  std::vector<Decision> decisions; // by candidate

  // Of each group, one after the other until one is a finding.
  void decide_groups(const std::vector<Alike>& groups) {
    share_out(groups.size(), [&](std::size_t number) {
      for (const std::size_t i : groups[number]) {
        decisions[i] = races_.decide(candidates_[i], kMaxInstances);
        if (decisions[i].finding) return;
      }
    });
  }

  // The others, which only add lines, while they cost little.
  void decide_rest(const std::vector<Alike>& groups, const Budget& budget) {
    Alike rest;
    for (const Alike& group : groups)
      for (const std::size_t i : group)
        if (decisions[i].questions == 0 && rest.size() < kMostAlike) rest.push_back(i);
    const Deadline deadline(budget, limits_.seconds_for_lines);
    std::atomic<std::size_t> steps{0};
    share_out(rest.size(), [&](std::size_t number) {
      if (deadline.passed() || steps > kWitnessSteps) return;
      Decision& decision = decisions[rest[number]];
      decision = races_.decide(candidates_[rest[number]], kTriesAlike);
      if (!decision.finding) return;
      decision.finding->alike = true;
      steps += decision.finding->witness.steps.size();
    });
  }

private:
  template <typename Work>
  void share_out(std::size_t all, const Work& work) {
    std::atomic<std::size_t> next{0};
    std::mutex told;
    std::size_t done = 0;
    const auto take = [&] {
      for (std::size_t i = next++; i < all; i = next++) {
        work(i);
        if (!progress_) continue;
        const std::lock_guard lock(told);
        progress_(++done, all);
      }
    };
    const unsigned jobs = limits_.jobs != 0 ? limits_.jobs : std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::thread> workers;
    for (unsigned i = 1; i < std::min<std::size_t>(jobs, all); ++i) workers.emplace_back(take);
    take();
    for (std::thread& worker : workers) worker.join();
  }

  const Races& races_;
  const std::vector<RaceCandidate>& candidates_;
  const Limits& limits_;
  const Progress& progress_;
};

// Where one of a group is a finding, the others without an answer would only add lines.
void account(const Alike& group, const std::vector<RaceCandidate>& candidates, std::vector<Decision>& decisions,
             std::vector<Finding>& findings, Coverage& coverage) {
  const bool found = std::ranges::any_of(group, [&](std::size_t i) { return decisions[i].finding.has_value(); });
  for (const std::size_t i : group) {
    Decision& decision = decisions[i];
    coverage.questions += decision.questions;
    if (decision.finding) {
      findings.push_back(std::move(*decision.finding));
      continue;
    }
    const RaceInstance& first = candidates[i].instances.front();
    std::vector<witness::Place> places = {{first.first, Role::Access}, {first.second, Role::Access}};
    const bool undecided = decision.questions == 0 || !decision.undecided.empty();
    const std::string why = decision.questions == 0 ? "another one of the same variable and functions is a finding"
                            : undecided             ? decision.undecided
                                                    : decision.refuted;
    if (undecided && found) ++coverage.alike;
    else if (undecided) coverage.undecided_because(why);
    coverage.suspect(witness::FindingKind::Race, std::move(places), why);
  }
}

} // namespace

std::vector<Finding> find_races(const trace::Trace& trace, const Computation& computation,
                                const Feasibility& feasibility, witness::Model model, const Limits& limits,
                                Coverage& coverage, const Progress& progress) {
  const Budget unlimited;
  const Budget& budget = limits.budget != nullptr ? *limits.budget : unlimited;
  const MustOrder& must = feasibility.must(trace);
  // Sliced causality by the letter allows more than runs in which values hold.
  const FlagLocks flags =
      feasibility.is_sliced() ? FlagLocks() : FlagLocks(computation, must, feasibility.index().reads_freely());
  const std::vector<RaceCandidate> candidates =
      race_candidates(trace, computation, must, flags, kMaxInstances, budget, &coverage.benign);
  if (const char* reason = budget.spent())
    coverage.undecided_because(std::string("not all pairs of accesses were looked at: ") + reason);
  const Races races(trace, computation, feasibility, model);
  const std::vector<Alike> groups = limits.each ? each_alone(candidates) : alike(trace, candidates);
  Decider decider(races, candidates, limits, progress);
  decider.decide_groups(groups);
  if (!limits.each) decider.decide_rest(groups, budget);

  coverage.candidates += candidates.size();
  std::vector<Finding> findings;
  for (const Alike& group : groups) account(group, candidates, decider.decisions, findings, coverage);
  std::ranges::sort(findings, [](const Finding& a, const Finding& b) {
    return std::pair(a.places[0].event, a.places[1].event) < std::pair(b.places[0].event, b.places[1].event);
  });
  return findings;
}

} // namespace sooth::predict
