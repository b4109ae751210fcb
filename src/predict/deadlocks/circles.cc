#include "predict/deadlocks/circles.h"

#include <algorithm>
#include <map>
#include <set>

namespace sooth::predict {
namespace {

constexpr std::size_t kMaxCircles = 10'000;
constexpr std::size_t kMaxWalk = 4'000'000; // steps of the search

class Circles {
public:
  Circles(const causality::Computation& computation, const Requests& graph, const VisitCircle& visit)
      : computation_(computation), graph_(graph), requests_(graph.all), visit_(visit) {}

  bool run() {
    link();
    for (std::size_t start = 0; start < requests_.size() && walk_ < kMaxWalk && circles_ < kMaxCircles; ++start) {
      circle_ = {start};
      extend();
    }
    for (std::size_t i = 0; i < requests_.size(); ++i)
      if (waits_for_itself(requests_[i])) visit_({i});
    return walk_ < kMaxWalk && circles_ < kMaxCircles;
  }

private:
  // A thread that stands before `holder` keeps one that stands before `waiter` from going on.
  bool blocks(const Request& holder, const Request& waiter) const {
    if (holder.thread == waiter.thread) return false;
    if (waiter.kind == RequestKind::Join) return holder.thread == waiter.object;
    if (!has_owner(waiter.kind)) return helps_after(computation_, graph_, waiter.object, holder.steps.front());
    const HeldLock* held = holder.holding(waiter.object);
    if (held != nullptr && (waiter.kind != RequestKind::Shared || !held->shared)) return true;
    return waiter.behind_writers && holder.kind == RequestKind::Exclusive && holder.object == waiter.object;
  }

  // Others may have taken what only the thread itself gives back.
  bool waits_for_itself(const Request& r) const {
    return r.kind == RequestKind::Semaphore && helps_after(computation_, graph_, r.object, r.steps.front());
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
      else if (has_owner(r.kind)) look(holders[r.object]);
      else
        for (const auto& [thread, its] : by_thread) look(its);
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
        visit_(circle_);
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

  const causality::Computation& computation_;
  const Requests& graph_;
  const std::vector<Request>& requests_;
  const VisitCircle& visit_;
  std::vector<std::vector<std::size_t>> blockers_; // of each request
  std::vector<std::size_t> circle_;
  std::size_t circles_ = 0, walk_ = 0;
};

} // namespace

bool helps_after(const causality::Computation& computation, const Requests& requests, std::uint32_t object,
                 causality::StepId step) {
  return requests.last_help(object, computation.steps[step].thread) >= std::int64_t{computation.steps[step].place};
}

bool each_circle(const causality::Computation& computation, const Requests& requests, const VisitCircle& visit) {
  return Circles(computation, requests, visit).run();
}

} // namespace sooth::predict
