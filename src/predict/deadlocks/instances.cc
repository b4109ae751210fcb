#include "predict/deadlocks/instances.h"

#include <algorithm>
#include <iterator>

#include "predict/deadlocks/circles.h"
#include "predict/question/must_order.h"

namespace sooth::predict {

using causality::StepId;

namespace {

constexpr std::size_t kMaxCombinations = 4'000'000; // looked at for one cycle
constexpr std::size_t kNear = 4;                    // instances of each class beside one of the first class
constexpr std::size_t kMostNear = 1024;             // combinations of near ones

std::size_t distance(StepId a, StepId b) { return a < b ? b - a : a - b; }

} // namespace

Instances::Instances(const trace::Trace& trace, const causality::Computation& computation,
                     const Feasibility& feasibility, const Requests& requests, const LockGraph& graph,
                     const Budget* budget)
    : computation_(computation), trace_(trace), feasibility_(feasibility), requests_(requests), graph_(graph),
      budget_(budget) {}

const Instances::Chains& Instances::of(ClassId id) {
  const auto [it, fresh] = lists_.try_emplace(id);
  if (!fresh) return it->second;
  for (const std::size_t i : graph_.classes()[id].members)
    for (const StepId step : requests_.all[i].steps)
      it->second[feasibility_.must(trace_).chain(requests_.all[i].thread)].push_back({step, i});
  for (auto& [chain, list] : it->second) std::ranges::sort(list, {}, &Instance::step);
  return it->second;
}

// Each member's first step, then each one's second, and so on.
Instances::List Instances::by_rounds(ClassId id) {
  struct Round {
    std::size_t number;
    Instance instance;
  };
  std::vector<Round> rounds;
  for (const std::size_t i : graph_.classes()[id].members)
    for (std::size_t n = 0; n < requests_.all[i].steps.size(); ++n)
      rounds.push_back({n, {requests_.all[i].steps[n], i}});
  std::ranges::sort(rounds, [](const Round& a, const Round& b) {
    return a.number != b.number ? a.number < b.number : a.instance.step < b.instance.step;
  });
  List out;
  out.reserve(rounds.size());
  for (const Round& round : rounds) out.push_back(round.instance);
  return out;
}

bool Instances::over() const {
  if (budget_ != nullptr && looked_at_ % 256 == 0 && budget_->spent() != nullptr) return true;
  return stopped_ || looked_at_ > kMaxCombinations || (near_ && tried_.size() >= kMostNear);
}

bool Instances::each(const std::vector<ClassId>& circle, bool owned, const Try& attempt) {
  // A join says which thread the next one is of: with it first, few have to be looked at.
  std::vector<ClassId> turned = circle;
  const auto join =
      std::ranges::find_if(turned, [&](ClassId id) { return graph_.shape(id).kind == RequestKind::Join; });
  if (join != turned.end()) std::ranges::rotate(turned, join);
  for (const ClassId id : turned) of(id); // so that no list moves from here on

  circle_ = &turned;
  attempt_ = &attempt;
  owned_ = owned;
  stopped_ = false;
  tried_.clear();
  compare_waits();
  List first = by_rounds(turned.front());
  std::erase_if(first, [&](const Instance& i) { return std::ranges::binary_search(alone_, i.step); });
  for (const bool near : {true, false}) {
    near_ = near;
    looked_at_ = 0;
    std::ranges::sort(tried_);
    for (auto it = first.begin(); it != first.end() && !over(); ++it) {
      chosen_ = {*it};
      ++looked_at_;
      near_ ? choose_near(1) : choose(1);
    }
  }
  return !over();
}

// Which instances of a circle of two waits can meet at all.
void Instances::compare_waits() {
  agreement_.reset();
  alone_.clear();
  const auto is_wait = [&](ClassId id) { return graph_.shape(id).kind == RequestKind::Signal; };
  if (circle_->size() != 2 || !std::ranges::all_of(*circle_, is_wait) || feasibility_.is_sliced()) return;
  std::vector<StepId> wakes[2];
  for (const std::size_t place : {0, 1})
    for (const std::size_t i : graph_.classes()[(*circle_)[place]].members)
      std::ranges::copy(requests_.all[i].steps, std::back_inserter(wakes[place]));
  agreement_.emplace(feasibility_.index(), feasibility_.must_by_lives(trace_), requests_, wakes[0], wakes[1]);
  alone_ = agreement_->alone();
}

Instances::Range Instances::narrowed(Range range) const {
  const MustOrder& must = owned_ ? feasibility_.must(trace_) : feasibility_.must_by_lives(trace_);
  const auto before = [&](StepId a, StepId b) { // b's thread stands before b only after a
    const causality::Step& step = computation_.steps[b];
    return step.place > 0 && must.precedes(a, computation_.threads[step.thread].steps[step.place - 1]);
  };
  for (const Instance& other : chosen_) {
    const auto at = range.list->begin();
    const auto begin =
        std::partition_point(at + static_cast<std::ptrdiff_t>(range.begin), at + static_cast<std::ptrdiff_t>(range.end),
                             [&](const Instance& i) { return before(i.step, other.step); });
    const auto end = std::partition_point(begin, at + static_cast<std::ptrdiff_t>(range.end),
                                          [&](const Instance& i) { return !before(other.step, i.step); });
    range = {range.list, static_cast<std::size_t>(begin - at), static_cast<std::size_t>(end - at)};
  }
  return range;
}

std::vector<Instances::Range> Instances::ranges(std::size_t place) {
  std::vector<Range> out;
  const Chains& chains = lists_.find((*circle_)[place])->second;
  const auto add = [&](const List& list, std::size_t begin, std::size_t end) {
    ++looked_at_;
    const Range range = narrowed({&list, begin, end});
    if (range.begin < range.end) out.push_back(range);
  };
  const Request& waiter = requests_.all[chosen_[place - 1].request];
  if (waiter.kind != RequestKind::Join) {
    for (const auto& [chain, list] : chains) add(list, 0, list.size());
    return out;
  }
  const std::vector<StepId>& joined = computation_.threads[waiter.object].steps;
  const auto it = joined.empty() ? chains.end() : chains.find(feasibility_.must(trace_).chain(waiter.object));
  if (it == chains.end()) return out;
  const List& list = it->second;
  const auto begin = std::ranges::lower_bound(list, joined.front(), {}, &Instance::step);
  const auto end = std::ranges::upper_bound(list, joined.back(), {}, &Instance::step);
  add(list, static_cast<std::size_t>(begin - list.begin()), static_cast<std::size_t>(end - list.begin()));
  return out;
}

bool Instances::fits(const Instance& instance, std::size_t place) const {
  const Request& r = requests_.all[instance.request];
  if (agreement_ && !agreement_->may_meet(chosen_.front().step, instance.step)) return false;
  for (const Instance& other : chosen_)
    if (requests_.all[other.request].thread == r.thread) return false;
  // Two of one class: the other way round it would be the same.
  if (circle_->size() == 2 && circle_->front() == circle_->back() && instance.step < chosen_.front().step) return false;
  const auto blocks = [&](const Instance& holder, const Request& waiter) {
    if (waiter.kind == RequestKind::Join) return requests_.all[holder.request].thread == waiter.object;
    return has_owner(waiter.kind) || helps_after(computation_, requests_, waiter.object, holder.step);
  };
  if (!blocks(instance, requests_.all[chosen_.back().request])) return false;
  return place + 1 < circle_->size() || blocks(chosen_.front(), r);
}

void Instances::choose_near(std::size_t place) {
  if (place == circle_->size()) {
    std::vector<StepId> steps;
    for (const Instance& instance : chosen_) steps.push_back(instance.step);
    tried_.push_back(std::move(steps));
    stopped_ = (*attempt_)(chosen_);
    return;
  }
  const StepId centre = chosen_.front().step;
  std::vector<Instance> near;
  for (const Range& range : ranges(place)) {
    const List& list = *range.list;
    const auto from = list.begin() + static_cast<std::ptrdiff_t>(range.begin);
    const auto to = list.begin() + static_cast<std::ptrdiff_t>(range.end);
    const auto middle = std::ranges::lower_bound(from, to, centre, {}, &Instance::step);
    std::size_t taken = 0;
    const auto take = [&](const Instance& instance) {
      near.push_back(instance);
      ++taken;
    };
    for (auto it = middle; it != to && taken < kNear && static_cast<std::size_t>(it - middle) < 2 * kNear; ++it)
      if (fits(*it, place)) take(*it);
    taken = 0;
    for (auto it = middle; it != from && taken < kNear && static_cast<std::size_t>(middle - it) < 2 * kNear; --it)
      if (fits(*std::prev(it), place)) take(*std::prev(it));
  }
  const auto nearer = [&](const Instance& a, const Instance& b) {
    const std::size_t x = distance(a.step, centre), y = distance(b.step, centre);
    return x != y ? x < y : a.step < b.step;
  };
  const std::size_t kept = std::min(near.size(), kNear);
  std::partial_sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(kept), near.end(), nearer);
  near.resize(kept);
  for (const Instance& instance : near) {
    chosen_.push_back(instance);
    choose_near(place + 1);
    chosen_.pop_back();
    if (over()) return;
  }
}

void Instances::choose(std::size_t place) {
  if (place == circle_->size()) {
    std::vector<StepId> steps;
    for (const Instance& instance : chosen_) steps.push_back(instance.step);
    if (!std::ranges::binary_search(tried_, steps)) stopped_ = (*attempt_)(chosen_);
    return;
  }
  std::vector<Range> all = ranges(place);
  std::ranges::sort(all, {}, [](const Range& range) { return (*range.list)[range.begin].step; });
  for (const Range& range : all)
    for (std::size_t i = range.begin; i < range.end; ++i) {
      ++looked_at_;
      if (over()) return;
      if (!fits((*range.list)[i], place)) continue;
      chosen_.push_back((*range.list)[i]);
      choose(place + 1);
      chosen_.pop_back();
      if (over()) return;
    }
}

} // namespace sooth::predict
