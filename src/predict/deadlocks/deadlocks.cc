#include "predict/deadlocks/deadlocks.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include "predict/deadlocks/abandoned_locks.h"
#include "predict/deadlocks/circles.h"
#include "predict/deadlocks/instances.h"
#include "predict/deadlocks/lock_graph.h"
#include "predict/deadlocks/requests.h"
#include "predict/deadlocks/standstill.h"
#include "predict/question/index.h"
#include "predict/question/tries.h"
#include "predict/question/witness_of.h"

namespace sooth::predict {
namespace {

using causality::StepId;
using trace::Event;
using witness::Finding;
using witness::Role;

constexpr std::size_t kTriesPerCircle = 65536;   // questions for each cycle of classes
constexpr std::size_t kSlowPerCircle = 16;       // ... of which so many may take too long
constexpr std::size_t kMaxFollowed = 20'000'000; // steps of runs that were followed to a standstill
constexpr std::size_t kMaxWaived = 4096;         // orders of one semaphore or barrier

class Deadlocks {
public:
  Deadlocks(const trace::Trace& trace, const causality::Computation& computation, const Feasibility& feasibility,
            const Budget* budget, Coverage& coverage)
      : budget_(budget), trace_(trace), computation_(computation), feasibility_(feasibility), coverage_(coverage),
        graph_(collect_requests(trace, computation)), requests_(graph_.all), classes_(computation, graph_),
        instances_(trace, computation, feasibility, graph_, classes_, budget) {}

  std::vector<Finding> run() {
    const bool all = each_circle(classes_, [&](const std::vector<ClassId>& circle) { return look_at(circle); });
    if (!all) coverage_.undecided_because("there are more circles of requests than are looked at");
    for (Open& open : open_)
      if (!known_.contains(open.name))
        coverage_.undecided_about(witness::FindingKind::Deadlock, std::move(open.places), open.reason);
    std::ranges::move(find_abandoned_locks(trace_, computation_, feasibility_, graph_, coverage_),
                      std::back_inserter(findings_));
    return std::move(findings_);
  }

private:
  // False if it would be a known finding. Instances may differ in whether some run has them: the
  // answer about a cycle is no only after it was no for all of them.
  bool look_at(const std::vector<ClassId>& circle) {
    ++coverage_.candidates;
    circle_.clear();
    for (const ClassId id : circle) circle_.push_back(classes_.classes()[id].members.front());
    Name key = name();
    if (known_.contains(key)) return false;
    std::vector<witness::Place> places;
    for (const std::size_t i : circle_)
      places.push_back({computation_.steps[requests_[i].steps.front()].event, Role::Request});
    if (const char* spent = budget_ == nullptr ? nullptr : budget_->spent()) {
      open_.push_back({std::move(key), std::move(places), spent});
      return true;
    }
    const bool owned = std::ranges::all_of(circle_, [&](std::size_t i) { return has_owner(requests_[i].kind); });
    std::size_t tries = 0;
    bool found = false;
    slow_ = 0;
    std::string undecided;
    const bool all = instances_.each(circle, owned, [&](std::span<const Instance> instances) {
      std::vector<StepId> before;
      circle_.clear();
      for (const Instance& instance : instances) {
        before.push_back(instance.step);
        circle_.push_back(instance.request);
      }
      if (!owned && !used_up(before)) return false;
      if (tries++ == kTriesPerCircle || slow_ >= kSlowPerCircle) return true;
      found = owned ? stuck(before, undecided) : still(before, undecided);
      return found || (!owned && followed_ > kMaxFollowed);
    });
    if (found) known_.insert(std::move(key));
    if (found || (all && undecided.empty())) return true;
    if (!all && slow_ < kSlowPerCircle) undecided = "a circle of requests has more instances than are tried";
    open_.push_back({std::move(key), std::move(places), std::move(undecided)});
    return true;
  }

  // Each waits for something that the next one owns: no other thread can release them.
  bool stuck(const std::vector<StepId>& before, std::string& undecided) {
    ++coverage_.questions;
    const Answer answer = feasibility_.ask({before, {}, {}, {}});
    slow_ += answer.slow ? 1 : 0;
    if (answer.truth == Truth::Undecided) undecided = answer.reason;
    if (answer.truth != Truth::Yes) return false;
    report(before, answer.run, answer.tier);
    return true;
  }

  // Some of it has no owner: the threads are stuck if every other thread has ended, or stands still
  // as well. Other threads may have to take the object before these threads reach their places; or
  // posts be taken as they were.
  bool still(const std::vector<StepId>& before, std::string& undecided) {
    const std::vector<causality::Order> free = waived(), in_time = signals_in_time(before);
    const std::vector<StepId> taken = taken_by_others();
    if (still(Question{before, {}, in_time, free}, undecided)) return true;
    if (!taken.empty() && still(Question{before, taken, in_time, free}, undecided)) return true;
    return !free.empty() && still(Question{before, {}, in_time, {}}, undecided);
  }

  // Who waits on a condition is not stuck if it was signalled since it began to wait. So what the
  // others of the circle have signalled by then came before that, if nobody else can have been
  // woken by it.
  std::vector<causality::Order> signals_in_time(const std::vector<StepId>& before) const {
    std::vector<causality::Order> out;
    const Index& index = feasibility_.index();
    for (const StepId wake : before) {
      const causality::Step& step = computation_.steps[wake];
      for (std::uint32_t n = step.first_operation; n < step.first_operation + step.operations; ++n) {
        const Operation& o = computation_.operations[n];
        if (o.kind != OperationKind::WakeUp) continue;
        const std::vector<ThreadUses>& users = index.conditions[o.object].threads;
        if (std::ranges::count_if(users, [](const ThreadUses& use) { return !use.waits.empty(); }) != 1) continue;
        for (const StepId other : before) {
          const causality::Step& stands = computation_.steps[other];
          const auto own = std::ranges::find(users, stands.thread, &ThreadUses::thread);
          if (stands.thread == step.thread || own == users.end()) continue;
          if (const std::size_t signals = index.among(own->gives, stands.thread, stands.place); signals != 0)
            out.push_back({own->gives[signals - 1], index.section(n)});
        }
      }
    }
    return out;
  }

  bool still(const Question& question, std::string& undecided) {
    if (followed_ > kMaxFollowed) {
      undecided = "more runs would have to be followed to their ends";
      return false;
    }
    ++coverage_.questions;
    const Answer answer = feasibility_.ask(question);
    slow_ += answer.slow ? 1 : 0;
    if (answer.truth == Truth::Undecided) undecided = answer.reason;
    if (answer.truth != Truth::Yes) return false;
    followed_ += computation_.steps.size();
    const Standstill end = follow(trace_, feasibility_.index(), question, std::vector<StepId>(answer.run));
    if (end.stillness == Stillness::Unknown)
      undecided = "whether another thread would help the waiting one is not known";
    if (end.stillness != Stillness::Still) return false;
    std::vector<StepId> all = question.before; // the cycle first
    for (const StepId request : end.requests)
      if (std::ranges::find(question.before, request) == question.before.end()) all.push_back(request);
    if (stands_.insert(places_of(end.requests)).second) report(all, end.run, answer.tier);
    return true;
  }

  // The last waits of threads outside of the cycle that took what it waits for.
  std::vector<StepId> taken_by_others() const {
    std::vector<StepId> out;
    for (const std::size_t i : circle_) {
      const std::uint32_t object = requests_[i].object;
      if (requests_[i].kind != RequestKind::Semaphore) continue;
      for (auto it = graph_.helps.lower_bound({object, 0}); it != graph_.helps.end() && it->first.first == object;
           ++it) {
        const std::uint32_t thread = it->first.second;
        const bool inside = std::ranges::any_of(circle_, [&](std::size_t c) { return requests_[c].thread == thread; });
        if (!inside && !it->second.takes.empty())
          out.push_back(computation_.threads[thread].steps[it->second.takes.back()]);
      }
    }
    return out;
  }

  // The post that a wait takes, and the order of arrivals at a barrier, may change.
  std::vector<causality::Order> waived() const {
    std::vector<causality::Order> out;
    for (const std::size_t i : circle_) {
      const auto it = graph_.observed.find(requests_[i].object);
      if (has_owner(requests_[i].kind) || it == graph_.observed.end() || it->second.size() > kMaxWaived) continue;
      out.insert(out.end(), it->second.begin(), it->second.end());
    }
    return out;
  }

  // Semaphores that only these threads use have nothing left when they stand there.
  bool used_up(const std::vector<StepId>& before) const {
    for (std::size_t i = 0; i < before.size(); ++i) {
      const Request& r = requests_[circle_[i]];
      if (has_owner(r.kind)) continue;
      if (!helps_after(computation_, graph_, r.object, before[(i + 1) % before.size()])) return false;
      if (r.kind == RequestKind::Semaphore && !graph_.may_be_empty(computation_, r.object, before)) return false;
    }
    return true;
  }

  // What distinguishes findings: where the requests stand in the source; if that is unknown, thread
  // and event.
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
  Name places_of(const std::vector<StepId>& requests) const {
    Name out;
    for (const StepId step : requests) {
      const Event& e = trace_.events[computation_.steps[step].event];
      if (e.site != 0) out.push_back({e.site, 0, 0});
      else out.push_back({0, e.thread + 1, computation_.steps[step].event});
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  // `requests`: those of the cycle, then those of the others that stand still.
  void report(const std::vector<StepId>& requests, const std::vector<StepId>& run, const char* tier) {
    Finding finding;
    finding.kind = witness::FindingKind::Deadlock;
    finding.engine = tier;
    std::vector<std::uint32_t> next;
    const std::size_t first = first_in_source();
    for (std::size_t k = 0; k < requests.size(); ++k) {
      const StepId step = requests[k < circle_.size() ? (first + k) % circle_.size() : k];
      next.push_back(computation_.steps[step].event);
      finding.places.push_back({next.back(), Role::Request});
    }
    for (std::size_t k = 0; k < circle_.size() && circle_.size() > 1; ++k) {
      const Request& r = requests_[circle_[(first + k) % circle_.size()]];
      const std::size_t after = (first + k + 1) % circle_.size();
      if (r.kind == RequestKind::Join || requests_[circle_[after]].holding(r.object) == nullptr) continue;
      const std::uint32_t hold = taking_event(trace_, computation_, requests[after], address_of(r.object));
      if (hold < trace_.events.size()) finding.places.push_back({hold, Role::Hold});
    }
    finding.witness = witness_of(computation_, trace_, run, next);
    findings_.push_back(std::move(finding));
  }
  // The report of the cycle begins here, in every run.
  std::size_t first_in_source() const {
    const auto place = [&](std::size_t request) {
      return std::pair(requests_[request].site, requests_[request].thread);
    };
    return static_cast<std::size_t>(std::ranges::min_element(circle_, {}, place) - circle_.begin());
  }
  std::uint64_t address_of(std::uint32_t object) const {
    return object < computation_.locks.size() ? computation_.locks[object]
                                              : graph_.others[object - computation_.locks.size()];
  }

  const Budget* const budget_; // may be null
  const trace::Trace& trace_;
  const causality::Computation& computation_;
  const Feasibility& feasibility_;
  Coverage& coverage_;
  const Requests graph_;
  const std::vector<Request>& requests_;
  LockGraph classes_;
  Instances instances_;
  std::vector<std::size_t> circle_; // requests; each is blocked by the next, the last by the first
  std::size_t followed_ = 0, slow_ = 0;
  struct Open { // a cycle without an answer; it does not count if another one with its name is found
    Name name;
    std::vector<witness::Place> places;
    std::string reason;
  };
  std::vector<Open> open_;
  std::set<Name> known_;  // cycles
  std::set<Name> stands_; // standstills
  std::vector<Finding> findings_;
};

} // namespace

std::vector<Finding> find_deadlocks(const trace::Trace& trace, const causality::Computation& computation,
                                    const Feasibility& feasibility, const Limits& limits, Coverage& coverage) {
  return Deadlocks(trace, computation, feasibility, limits.budget, coverage).run();
}

} // namespace sooth::predict
