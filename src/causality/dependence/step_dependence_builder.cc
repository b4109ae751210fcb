#include "causality/dependence/step_dependence_builder.h"

#include <algorithm>

namespace sooth::causality {

using Row = StepDependence::Row;
using Slice = StepDependence::Slice;

StepDependenceBuilder::StepDependenceBuilder(const trace::Trace& trace, const Computation& computation)
    : trace_(trace), computation_(computation) {
  result_.known = true;
  Row none;
  none.own = kNoNode;
  result_.steps.assign(computation.steps.size(), none);
  result_.value_of_event.resize(trace.events.size());
}

void StepDependenceBuilder::begin_event(std::uint32_t event) {
  const StepId step = computation_.step_of_event[event];
  if (step == step_) {
    const trace::Event& last = trace_.events[event_];
    leads_ = leads_ && (last.kind == trace::EventKind::ExternalWrite || last.has(trace::kGlued));
    event_ = event;
    return;
  }
  end_step();
  event_ = event;
  step_ = step;
  leads_ = true;
  if (step_ != kNoStep) result_.steps[step_].first_node = static_cast<std::uint32_t>(result_.nodes.size());
}

DependenceNode StepDependenceBuilder::what_it_reads() {
  DependenceNode& own = result_.steps[step_].own;
  if (own == kNoNode) {
    own = static_cast<DependenceNode>(result_.nodes.size());
    result_.nodes.push_back({true, {}});
    result_.step_of_node.push_back(step_);
  }
  return own;
}

DependenceNode StepDependenceBuilder::depends_on(std::span<const DependenceNode> nodes) {
  scratch_.assign(nodes.begin(), nodes.end());
  std::erase(scratch_, kNoNode);
  std::ranges::sort(scratch_);
  scratch_.erase(std::unique(scratch_.begin(), scratch_.end()), scratch_.end());
  if (scratch_.empty()) return kNoNode;
  if (scratch_.size() == 1) return scratch_.front();
  const auto node = static_cast<DependenceNode>(result_.nodes.size());
  result_.nodes.push_back({false, add(scratch_)});
  result_.step_of_node.push_back(step_);
  return node;
}

// A thread stands directly before the step as soon as everything is decided that leads to its first
// access or synchronisation. The step's later events (branches, calls, private memory) are decided
// after that.
void StepDependenceBuilder::decided_by(DependenceNode node) {
  if (node == kNoNode) return;
  decides_.push_back(node);
  if (leads_) stands_.push_back(node);
}

void StepDependenceBuilder::decided_by_what_follows(DependenceNode node) {
  if (node != kNoNode) decides_.push_back(node);
}

void StepDependenceBuilder::writes_from(DependenceNode node, bool shared) {
  if (shared && node != kNoNode) writes_.push_back(node);
  value_of_event_is(node);
}

void StepDependenceBuilder::value_of_event_is(DependenceNode node) {
  if (node == kNoNode) return;
  result_.value_of_event[event_] = {static_cast<std::uint32_t>(result_.items.size()), 1};
  result_.items.push_back(node);
}

Slice StepDependenceBuilder::add(std::vector<DependenceNode>& list) {
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
  const Slice slice{static_cast<std::uint32_t>(result_.items.size()), static_cast<std::uint32_t>(list.size())};
  result_.items.insert(result_.items.end(), list.begin(), list.end());
  list.clear();
  return slice;
}

void StepDependenceBuilder::end_step() {
  if (step_ == kNoStep) return;
  Row& row = result_.steps[step_];
  row.nodes = static_cast<std::uint32_t>(result_.nodes.size()) - row.first_node;
  row.decides = add(decides_);
  row.stands = add(stands_);
  row.writes = add(writes_);
}

StepDependence StepDependenceBuilder::finish() {
  end_step();
  return std::move(result_);
}

} // namespace sooth::causality
