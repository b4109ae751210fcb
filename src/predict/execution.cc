#include "predict/execution.h"

#include <algorithm>

namespace sooth::predict {

Execution::Execution(const Index& index)
    : index_(index), positions_(index.computation.threads.size(), 0), writers_(index.computation.locations.size()),
      locks_(index.computation.locks.size()), holders_(index.computation.locations.size()) {
  for (std::size_t i = 0; i < writers_.size(); ++i) writers_[i] = {kNoStep, index.computation.locations[i].initial};
  if (!index.reads_freely()) return;
  tainted_nodes_.resize(index.computation.dependence.nodes.size());
  tainted_locations_.resize(writers_.size());
}

// Whether some read of the step sees something else than it saw. A read-modify-write and the like read before they write.
bool Execution::reads_taint(StepId step) const {
  for (const Operation& o : index_.computation.operations_of(step))
    if (o.kind == OperationKind::Read &&
        (tainted_locations_[o.object] || writers_[o.object].value != o.value || o.value == causality::kUnknownValue))
      return true;
  return false;
}

bool Execution::allows_operation(std::size_t n, std::uint32_t thread) const {
  const Operation& o = index_.computation.operations[n];
  switch (o.kind) {
  case OperationKind::Read:
    for (const Holder& holder : holders_[o.object])
      if (holder.thread != thread && holder.exclusive) return false;
    if (index_.reads_freely()) return true; // what it sees is a matter of taint
    if (index_.reads_identity()) return writers_[o.object].step == index_.writer(n);
    return writers_[o.object].value == o.value && o.value != causality::kUnknownValue;
  case OperationKind::Write:
    return std::ranges::none_of(holders_[o.object], [&](const Holder& holder) { return holder.thread != thread; });
  case OperationKind::Acquire: {
    const Lock& lock = locks_[o.object];
    return lock.owner == 0xffffffff && lock.readers.empty();
  }
  case OperationKind::AcquireShared: return locks_[o.object].owner == 0xffffffff;
  case OperationKind::TryFailed: {
    const Lock& lock = locks_[o.object];
    if (lock.owner != 0xffffffff) return lock.owner != thread;
    return o.value == 0 && std::ranges::any_of(lock.readers, [&](std::uint32_t reader) { return reader != thread; });
  }
  default: return true;
  }
}

bool Execution::allows(StepId id, const Question& question) const {
  const Computation& c = index_.computation;
  const causality::Step& step = c.steps[id];
  if (positions_[step.thread] != step.place || step.place >= c.threads[step.thread].trusted) return false;
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
      writers_[o.object] = {id, o.value};
      if (!tainted_locations_.empty()) tainted_locations_[o.object] = taints;
      break;
    case OperationKind::Acquire: locks_[o.object].owner = step.thread; break;
    case OperationKind::Release: locks_[o.object].owner = 0xffffffff; break;
    case OperationKind::AcquireShared: locks_[o.object].readers.push_back(step.thread); break;
    case OperationKind::ReleaseShared: {
      std::vector<std::uint32_t>& readers = locks_[o.object].readers;
      if (const auto it = std::ranges::find(readers, step.thread); it != readers.end()) readers.erase(it);
      break;
    }
    case OperationKind::HoldBegin: holders_[o.object].push_back({step.thread, o.value != 0}); break;
    case OperationKind::HoldEnd:
      std::erase_if(holders_[o.object], [&](const Holder& holder) { return holder.thread == step.thread; });
      break;
    default: break;
    }
  }
}

std::uint32_t Execution::memory(std::size_t location) const {
  return index_.reads_identity() ? writers_[location].step : writers_[location].value;
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

std::string objection_to(const Index& index, const Question& question, std::span<const StepId> run) {
  Execution execution(index);
  for (const StepId step : run) {
    if (!execution.allows(step, question)) return "step " + std::to_string(step) + " may not follow";
    execution.take(step);
  }
  if (!satisfies(index.computation, question, execution.positions())) return "the run ends elsewhere";
  for (const StepId step : question.before)
    if (!execution.leads_to(step)) return "nobody knows that step " + std::to_string(step) + " follows";
  return {};
}

} // namespace sooth::predict
