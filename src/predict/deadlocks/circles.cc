#include "predict/deadlocks/circles.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>

namespace sooth::predict {
namespace {

constexpr std::size_t kMaxCircles = 10'000;
constexpr std::size_t kMaxWalk = 4'000'000; // steps of the search
constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

class Circles {
public:
  Circles(LockGraph& graph, const VisitCircle& visit) : graph_(graph), visit_(visit) {}

  bool run() {
    const auto classes = static_cast<ClassId>(graph_.classes().size());
    for (ClassId id = 0; id < classes && !over(); ++id) circles_of_two(id);
    // From each class, those with the next possible length. A cycle is found from its class with
    // the smallest number.
    std::multimap<std::size_t, ClassId> next;
    for (ClassId id = 0; id < classes; ++id) next.emplace(3, id);
    while (!next.empty() && !over()) {
      const auto [length, start] = *next.begin();
      next.erase(next.begin());
      if (const std::size_t longer = circles_of(start, length); longer != kNever) next.emplace(longer, start);
    }
    for (ClassId id = 0; id < classes; ++id)
      if (graph_.waits_for_itself(id)) visit_({id});
    return !over();
  }

private:
  bool over() const { return circles_ >= kMaxCircles || walk_ + graph_.looked_at() >= kMaxWalk; }
  void found() {
    if (visit_(circle_)) ++circles_;
  }

  void circles_of_two(ClassId start) {
    const std::vector<ClassId>& blockers = graph_.blockers(start);
    const std::vector<ClassId>& waiters = graph_.waiters(start);
    std::vector<ClassId> both;
    std::ranges::set_intersection(blockers, waiters, std::back_inserter(both));
    walk_ += blockers.size() + waiters.size();
    for (const ClassId other : both) {
      if (other < start || over()) continue;
      circle_ = {start, other};
      found();
    }
  }

  // How many steps it is from each class back to `start`, by way of classes with larger numbers.
  void measure(ClassId start) {
    for (const ClassId id : reached_) way_back_[id] = kNever;
    way_back_.resize(graph_.classes().size(), kNever);
    reached_ = {start};
    way_back_[start] = 0;
    for (std::size_t i = 0; i < reached_.size() && !over(); ++i) {
      const ClassId id = reached_[i];
      for (const ClassId waiter : graph_.waiters(id)) {
        ++walk_;
        if (waiter < start || way_back_[waiter] != kNever) continue;
        way_back_[waiter] = way_back_[id] + 1;
        reached_.push_back(waiter);
      }
    }
  }

  // All cycles of this length; returns the next length that there may be.
  std::size_t circles_of(ClassId start, std::size_t length) {
    measure(start);
    length_ = length;
    longer_ = kNever;
    circle_ = {start};
    extend();
    return longer_;
  }

  void extend() {
    if (over()) return;
    const ClassId start = circle_.front();
    for (const ClassId next : graph_.blockers(circle_.back())) {
      ++walk_;
      if (next == start && circle_.size() == length_ && begins_first()) found();
      if (next < start || way_back_[next] == kNever || !fits(next)) continue;
      // A class that comes again has more than one step before it is back.
      const std::size_t shortest = circle_.size() + (next == start ? 1 : way_back_[next]);
      if (shortest > length_) {
        longer_ = std::min(longer_, shortest);
        continue;
      }
      circle_.push_back(next);
      extend();
      circle_.pop_back();
    }
  }

  bool fits(ClassId next) const {
    std::size_t times = 0;
    for (const ClassId id : circle_) {
      if (!graph_.fit_together(id, next)) return false;
      times += id == next ? 1 : 0;
    }
    if (times == 0) return true;
    const RequestClass& joins = graph_.classes()[next];
    const std::size_t row = static_cast<std::size_t>(
        std::ranges::find_if(circle_.rbegin(), circle_.rend(), [&](ClassId id) { return id != next; }) -
        circle_.rbegin());
    return graph_.shape(next).kind == RequestKind::Join && times < joins.threads && row < joins.in_a_row;
  }

  // If the start comes again, the same cycle can be described in several ways.
  bool begins_first() const {
    std::vector<ClassId> turned = circle_;
    for (std::size_t i = 1; i < circle_.size(); ++i) {
      std::ranges::rotate(turned, turned.begin() + 1);
      if (turned < circle_) return false;
    }
    return true;
  }

  LockGraph& graph_;
  const VisitCircle& visit_;
  std::vector<ClassId> circle_;
  std::vector<ClassId> reached_;      // by the last measure
  std::vector<std::size_t> way_back_; // by class
  std::size_t length_ = 0, longer_ = kNever;
  std::size_t circles_ = 0, walk_ = 0;
};

} // namespace

bool helps_after(const causality::Computation& computation, const Requests& requests, std::uint32_t object,
                 causality::StepId step) {
  return requests.last_help(object, computation.steps[step].thread) >= std::int64_t{computation.steps[step].place};
}

bool each_circle(LockGraph& graph, const VisitCircle& visit) { return Circles(graph, visit).run(); }

} // namespace sooth::predict
