#include "predict/question/execution.h"

#include <algorithm>

namespace sooth::predict {

Execution::Execution(const Index& index, std::vector<std::uint32_t> base) : index_(index), base_(std::move(base)) {
  if (std::ranges::all_of(base_, [](std::uint32_t steps) { return steps == 0; })) base_.clear();
  positions_ = base_;
  positions_.resize(index.computation.threads.size(), 0);
  for (std::uint32_t t = 0; t < base_.size(); ++t) {
    base_begin_ = std::min(base_begin_, index.step_at(t, base_[t]));
    if (base_[t] != 0) base_end_ = std::max(base_end_, index.step_at(t, base_[t] - 1) + 1);
  }
  if (!index.reads_freely()) return;
  tainted_nodes_.resize(index.computation.dependence.nodes.size()); // the base is as it was observed
  tainted_locations_.resize(index.computation.locations.size());
}

// Whether some read of the step sees another value than it saw. A read-modify-write and the like
// read before they write.
bool Execution::reads_taint(StepId step) const {
  for (const Operation& o : index_.computation.operations_of(step))
    if (o.kind == OperationKind::Read &&
        (tainted_locations_[o.object] || o.value == causality::kUnknownValue || writer(o.object).value != o.value))
      return true;
  return false;
}

Access Execution::writer(std::uint32_t location) const {
  if (!all_writers_.empty()) {
    if (const Access& known = all_writers_[location]; known.step != kNoStep) return known;
  } else if (const auto it = writers_.find(location); it != writers_.end()) {
    return it->second;
  }
  if (base_.empty()) return {kNoStep, index_.computation.locations[location].initial, 0};
  return index_.last_write(location, base_);
}

void Execution::write(std::uint32_t location, const Access& access) {
  constexpr std::size_t kFew = 1024, kPart = 16;
  if (all_writers_.empty()) {
    writers_[location] = access;
    if (writers_.size() < kFew || writers_.size() < locations() / kPart) return;
    all_writers_.resize(locations());
    for (const auto& [written, last] : writers_) all_writers_[written] = last;
    writers_ = {};
  }
  all_writers_[location] = access;
}

Execution::Lock& Execution::lock(std::uint32_t number) const {
  const auto [it, fresh] = locks_.try_emplace(number);
  if (fresh && !base_.empty()) {
    std::vector<std::uint32_t> open;
    index_.open_sections(number, base_, open);
    for (const std::uint32_t n : open) {
      const Section& section = index_.locks[number][n];
      if (section.exclusive) it->second.owner = section.thread;
      else it->second.readers.push_back(section.thread);
    }
  }
  return it->second;
}

Execution::Holders& Execution::holders(std::uint32_t location) const {
  const auto [it, fresh] = holders_.try_emplace(location);
  if (!fresh || base_.empty()) return it->second;
  const LocationIndex& all = index_.locations[location];
  const auto in_base = [&](StepId step) {
    return step != kNoStep && index_.computation.steps[step].place < base_[index_.computation.steps[step].thread];
  };
  for (std::size_t i = all.first_hold(base_begin_); i < all.holds.size() && all.holds[i].begin < base_end_; ++i)
    if (in_base(all.holds[i].begin) && !in_base(all.holds[i].end))
      it->second.push_back({all.holds[i].thread, all.holds[i].exclusive});
  return it->second;
}

std::uint64_t& Execution::count(std::uint32_t semaphore) const {
  const auto [it, fresh] = counts_.try_emplace(semaphore, index_.computation.semaphores[semaphore].first_count);
  if (fresh && !base_.empty()) it->second = index_.count(semaphore, base_);
  return it->second;
}

causality::WaitQueue& Execution::queue(std::uint32_t condition) const {
  const auto [it, fresh] = queues_.try_emplace(condition);
  if (fresh && !base_.empty()) it->second = index_.waiting(condition, base_);
  return it->second;
}

void Execution::tell_waits(std::vector<std::uint32_t>& state) const {
  for (std::uint32_t i = 0; i < index_.conditions.size(); ++i)
    for (const causality::WaitQueue::Waiter& waiter : queue(i).waiters()) {
      state.push_back(i);
      state.push_back(waiter.thread);
      state.push_back(waiter.signals * 2 + (waiter.broadcast ? 1 : 0));
    }
}

bool Execution::held_by_others(std::uint32_t location, std::uint32_t thread, bool writes) const {
  if (index_.locations[location].holds.empty()) return false;
  const auto known = holders_.find(location);
  if (known == holders_.end() && base_.empty()) return false;
  const Holders& all = known != holders_.end() ? known->second : holders(location);
  return std::ranges::any_of(
      all, [&](const Holder& holder) { return holder.thread != thread && (writes || holder.exclusive); });
}

// Long runs begin and end holds of millions of locations. Only with a base does an empty entry say
// something: that the base left none.
void Execution::end_hold(std::uint32_t location, std::uint32_t thread) {
  Holders& all = holders(location);
  const auto own = [&](const Holder& holder) { return holder.thread == thread; };
  all.erase(std::remove_if(all.begin(), all.end(), own), all.end());
  if (all.empty() && base_.empty()) holders_.erase(location);
}

bool Execution::allows_operation(std::size_t n, std::uint32_t thread) const {
  const Operation& o = index_.computation.operations[n];
  switch (o.kind) {
  case OperationKind::Read:
    if (held_by_others(o.object, thread, false)) return false;
    if (index_.reads_freely()) return true; // what it sees is a matter of taint
    if (index_.reads_identity()) return writer(o.object).step == index_.writer(n);
    return o.value != causality::kUnknownValue && writer(o.object).value == o.value;
  case OperationKind::Write: return !held_by_others(o.object, thread, true);
  case OperationKind::Acquire: {
    const Lock& its = lock(o.object);
    return its.owner == 0xffffffff && its.readers.empty();
  }
  case OperationKind::AcquireShared: return lock(o.object).owner == 0xffffffff;
  case OperationKind::TryFailed: {
    const Lock& its = lock(o.object);
    if (its.owner != 0xffffffff) return its.owner != thread;
    return o.value == 0 && std::ranges::any_of(its.readers, [&](std::uint32_t reader) { return reader != thread; });
  }
  case OperationKind::Take: return count(o.object) > 0;
  case OperationKind::WakeUp: return queue(o.object).may_wake(thread);
  default: return true;
  }
}

bool Execution::allows(StepId id, const Question& question) const {
  const Computation& c = index_.computation;
  const causality::Step& step = c.steps[id];
  if (positions_[step.thread] != step.place || step.place >= index_.trusted[step.thread]) return false;
  for (const causality::Order& order : index_.orders(id))
    if (!done(order.first) && std::ranges::find(question.waived, order) == question.waived.end()) return false;
  for (const causality::Order& order : question.sequence)
    if (order.second == id && !done(order.first)) return false;
  for (const StepId need : index_.needs(id))
    if (!done(need)) return false;
  if ((step.flags & causality::kExternalRead) != 0)
    for (std::uint32_t t = 0; t < positions_.size(); ++t)
      if (t != step.thread && positions_[t] < index_.steps_before(t, id)) return false;
  for (std::size_t n = step.first_operation; n < step.first_operation + step.operations; ++n)
    if (!allows_operation(n, step.thread)) return false;
  if (!index_.reads_freely()) return true;
  const auto earlier = [&](causality::DependenceNode node) -> bool { return tainted_nodes_[node]; };
  return !causality::StepTaint(c.dependence, id, reads_taint(id), earlier).decides();
}

bool Execution::leads_to(StepId id) const {
  if (!index_.reads_freely()) return true;
  const causality::StepDependence& dependence = index_.computation.dependence;
  const auto earlier = [&](causality::DependenceNode node) -> bool { return tainted_nodes_[node]; };
  return !causality::StepTaint(dependence, id, false, earlier).any(dependence.steps[id].stands);
}

void Execution::take(StepId id) {
  const causality::Step& step = index_.computation.steps[id];
  ++positions_[step.thread];
  bool taints = false; // what it writes
  if (index_.reads_freely()) {
    const causality::StepDependence& dependence = index_.computation.dependence;
    const auto earlier = [&](causality::DependenceNode node) -> bool { return tainted_nodes_[node]; };
    const causality::StepTaint taint(dependence, id, reads_taint(id), earlier);
    const causality::StepDependence::Row& row = dependence.steps[id];
    for (std::uint32_t n = row.first_node; n < row.first_node + row.nodes; ++n) tainted_nodes_[n] = taint(n);
    taints = taint.writes();
  }
  for (const Operation& o : index_.computation.operations_of(id)) {
    switch (o.kind) {
    case OperationKind::Write:
      write(o.object, {id, o.value});
      if (!tainted_locations_.empty()) tainted_locations_[o.object] = taints;
      break;
    case OperationKind::Acquire: lock(o.object).owner = step.thread; break;
    case OperationKind::Release: lock(o.object).owner = 0xffffffff; break;
    case OperationKind::AcquireShared: lock(o.object).readers.push_back(step.thread); break;
    case OperationKind::ReleaseShared: {
      std::vector<std::uint32_t>& readers = lock(o.object).readers;
      if (const auto it = std::ranges::find(readers, step.thread); it != readers.end()) readers.erase(it);
      break;
    }
    case OperationKind::HoldBegin: holders(o.object).push_back({step.thread, o.value != 0}); break;
    case OperationKind::HoldEnd: end_hold(o.object, step.thread); break;
    case OperationKind::Post: ++count(o.object); break;
    case OperationKind::Take: --count(o.object); break;
    default:
      if (is_of_condition(o.kind)) apply_use(queue(o.object), o.kind, step.thread);
      break;
    }
  }
}

std::uint32_t Execution::memory(std::size_t location) const {
  const Access last = writer(static_cast<std::uint32_t>(location));
  return index_.reads_identity() ? last.step : last.value;
}

bool satisfies(const Computation& c, const Question& question, std::span<const std::uint32_t> positions) {
  const auto done = [&](StepId step) { return positions[c.steps[step].thread] > c.steps[step].place; };
  for (const StepId step : question.before)
    if (positions[c.steps[step].thread] != c.steps[step].place) return false;
  for (const StepId step : question.done)
    if (!done(step)) return false;
  for (const causality::Order& order : question.sequence)
    if (!done(order.first) || !done(order.second)) return false;
  return true;
}

std::string objection_to(const Index& index, const Question& question, const std::vector<std::uint32_t>& base,
                         std::span<const StepId> steps) {
  Execution execution(index, base);
  for (const StepId step : steps) {
    if (!execution.allows(step, question)) return "step " + std::to_string(step) + " may not follow";
    execution.take(step);
  }
  if (!satisfies(index.computation, question, execution.positions())) return "the run ends elsewhere";
  for (const StepId step : question.before)
    if (!execution.leads_to(step)) return "nobody knows that step " + std::to_string(step) + " follows";
  return {};
}

std::string objection_to(const Index& index, const Question& question, std::span<const StepId> run) {
  return objection_to(index, question, {}, run);
}

std::string objection_to(const Index& index, const Question& question, const Run& run) {
  return objection_to(index, question, {}, std::vector<StepId>(run));
}

} // namespace sooth::predict
