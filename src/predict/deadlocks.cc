#include "predict/deadlocks.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "predict/must_order.h"
#include "predict/requests.h"
#include "predict/witness_of.h"

namespace sooth::predict {
namespace {

using causality::StepId;
using witness::Finding;
using witness::Role;

constexpr std::size_t kMaxCircles = 10'000;
constexpr std::size_t kMaxWalk = 4'000'000;       // steps of the search for circles
constexpr std::size_t kMaxTries = 256;            // questions for one circle
constexpr std::size_t kMaxCombinations = 100'000; // of instances of its requests

class Deadlocks {
public:
  Deadlocks(const trace::Trace& trace, const causality::Computation& computation, const Feasibility& feasibility,
            Coverage& coverage)
      : trace_(trace), computation_(computation), feasibility_(feasibility), coverage_(coverage),
        must_(trace, computation), requests_(collect_requests(trace, computation)) {}

  std::vector<Finding> run() {
    link();
    for (std::size_t start = 0; start < requests_.size() && walk_ < kMaxWalk && circles_ < kMaxCircles; ++start) {
      circle_ = {start};
      extend();
    }
    if (walk_ >= kMaxWalk || circles_ >= kMaxCircles)
      coverage_.undecided_because("there are more circles of lock requests than are looked at");
    return std::move(findings_);
  }

private:
  // A thread that stands before `holder` keeps one that stands before `waiter` from going on.
  bool blocks(const Request& holder, const Request& waiter) const {
    if (holder.thread == waiter.thread) return false;
    if (waiter.kind == RequestKind::Join) return holder.thread == waiter.object;
    const HeldLock* held = holder.holding(waiter.object);
    if (held != nullptr && (waiter.kind == RequestKind::Exclusive || !held->shared)) return true;
    return waiter.behind_writers && holder.kind == RequestKind::Exclusive && holder.object == waiter.object;
  }

  // Two threads cannot both have a lock, unless both share it.
  bool hold_apart(const Request& a, const Request& b) const {
    for (const HeldLock& h : a.held)
      if (const HeldLock* other = b.holding(h.lock); other != nullptr && !(h.shared && other->shared)) return false;
    return true;
  }

  void link() {
    std::map<std::uint32_t, std::vector<std::size_t>> holders, writers, by_thread;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      for (const HeldLock& h : requests_[i].held) holders[h.lock].push_back(i);
      if (requests_[i].kind == RequestKind::Exclusive) writers[requests_[i].object].push_back(i);
      by_thread[requests_[i].thread].push_back(i);
    }
    blockers_.resize(requests_.size());
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      const Request& r = requests_[i];
      std::set<std::size_t> found;
      const auto look = [&](const std::vector<std::size_t>& candidates) {
        for (const std::size_t c : candidates)
          if (blocks(requests_[c], r) && hold_apart(requests_[c], r)) found.insert(c);
      };
      if (r.kind == RequestKind::Join) look(by_thread[r.object]);
      else look(holders[r.object]);
      if (r.behind_writers) look(writers[r.object]);
      blockers_[i].assign(found.begin(), found.end());
    }
  }

  // Every circle is found once: from its request with the smallest number.
  void extend() {
    if (circles_ >= kMaxCircles || ++walk_ > kMaxWalk) return;
    const std::size_t start = circle_.front(), last = circle_.back();
    for (const std::size_t next : blockers_[last]) {
      if (next == start && circle_.size() >= 2) {
        ++circles_;
        ask();
        continue;
      }
      if (next <= start) continue;
      const bool fits = std::all_of(circle_.begin(), circle_.end(), [&](std::size_t i) {
        return requests_[i].thread != requests_[next].thread && hold_apart(requests_[i], requests_[next]);
      });
      if (!fits) continue;
      circle_.push_back(next);
      extend();
      circle_.pop_back();
    }
  }

  void ask() {
    ++coverage_.candidates;
    const auto key = name();
    if (known_.contains(key)) return;
    std::vector<std::size_t> choice(circle_.size(), 0);
    std::vector<StepId> before(circle_.size());
    std::size_t tries = 0, combinations = 0;
    std::string undecided;
    for (bool more = true; more; more = advance(choice)) {
      for (std::size_t i = 0; i < circle_.size(); ++i) before[i] = requests_[circle_[i]].steps[choice[i]];
      if (++combinations > kMaxCombinations || tries == kMaxTries) {
        undecided = "a circle of lock requests has more instances than are tried";
        break;
      }
      if (excluded(before)) continue;
      ++tries;
      ++coverage_.questions;
      const Answer answer = feasibility_.ask({before, {}, {}, {}});
      if (answer.truth == Truth::Undecided) undecided = answer.reason;
      if (answer.truth != Truth::Yes) continue;
      known_.insert(key);
      report(before, answer);
      return;
    }
    if (!undecided.empty()) coverage_.undecided_because(undecided);
  }

  bool advance(std::vector<std::size_t>& choice) const {
    for (std::size_t i = 0; i < choice.size(); ++i) {
      if (++choice[i] < requests_[circle_[i]].steps.size()) return true;
      choice[i] = 0;
    }
    return false;
  }

  bool excluded(const std::vector<StepId>& before) const {
    for (std::size_t i = 0; i < before.size(); ++i)
      for (std::size_t j = i + 1; j < before.size(); ++j)
        if (must_.excludes(before[i], before[j])) return true;
    return false;
  }

  // What tells findings apart: where the requests stand in the source; if that is unknown, thread and object.
  using Name = std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>>;
  Name name() const {
    Name out;
    for (const std::size_t i : circle_) {
      const Request& r = requests_[i];
      if (r.site != 0) out.push_back({r.site, 0, 0});
      else out.push_back({0, r.thread + 1, r.object});
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  void report(const std::vector<StepId>& before, const Answer& answer) {
    Finding finding;
    finding.kind = witness::FindingKind::Deadlock;
    finding.engine = answer.tier;
    std::vector<std::uint32_t> next;
    for (const StepId step : before) {
      next.push_back(computation_.steps[step].event);
      finding.places.push_back({next.back(), Role::Request});
    }
    for (std::size_t i = 0; i < circle_.size(); ++i) {
      if (requests_[circle_[i]].kind == RequestKind::Join) continue;
      const std::uint32_t taken =
          taking_event(computation_, before[(i + 1) % before.size()], requests_[circle_[i]].object);
      const bool holds = requests_[circle_[(i + 1) % circle_.size()]].holding(requests_[circle_[i]].object) != nullptr;
      if (holds && taken < trace_.events.size()) finding.places.push_back({taken, Role::Hold});
    }
    finding.witness = witness_of(computation_, trace_, answer.run, next);
    findings_.push_back(std::move(finding));
  }

  const trace::Trace& trace_;
  const causality::Computation& computation_;
  const Feasibility& feasibility_;
  Coverage& coverage_;
  const MustOrder must_;
  const std::vector<Request> requests_;
  std::vector<std::vector<std::size_t>> blockers_; // of each request
  std::vector<std::size_t> circle_;                // requests; each is blocked by the next, the last by the first
  std::size_t circles_ = 0, walk_ = 0;
  std::set<Name> known_;
  std::vector<Finding> findings_;
};

} // namespace

std::vector<Finding> find_deadlocks(const trace::Trace& trace, const causality::Computation& computation,
                                    const Feasibility& feasibility, const Limits&, Coverage& coverage) {
  return Deadlocks(trace, computation, feasibility, coverage).run();
}

} // namespace sooth::predict
