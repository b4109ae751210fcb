// All runs of a causal model, offline. A model with clocks becomes messages for a Lattice; any
// other is asked, node by node.
#include <algorithm>
#include <memory>
#include <vector>

#include "explore/lattice.h"
#include "explore/level_walk.h"

namespace sooth::explore {

namespace {

using causality::Model;
using causality::ModelStep;

// Cuts are packed for the whole of the model's steps; what is enabled the model says.
class ModelStepper {
public:
  static constexpr std::size_t kWords = 0;
  static constexpr bool kCutDecides = false;

  ModelStepper(const Model& model, const Packing& packing) : model_(model), packing_(packing) {
    for (ThreadNumber t = 0; t < model.threads(); ++t)
      for (const ModelStep& step : model.steps(t)) any_glued_ = any_glued_ || step.glued;
  }

  const Packing& packing() const { return packing_; }
  bool enabled(const std::uint64_t* record, std::uint32_t field) const {
    const ThreadNumber thread = packing_.field(field).thread;
    std::vector<Count>& cut = unpacked(record);
    if (cut[thread] >= model_.steps(thread).size() || (any_glued_ && held_by_another(cut, thread))) return false;
    return model_.enabled(cut, {record + packing_.words(), model_.state_words()}, thread);
  }
  Taken take(const std::uint64_t* record, std::uint32_t field, std::uint64_t* state) const {
    const ThreadNumber thread = packing_.field(field).thread;
    const std::vector<Count>& cut = unpacked(record);
    model_.advance(cut, {state, model_.state_words()}, thread);
    const ModelStep& step = model_.steps(thread)[cut[thread]];
    return {step.event, step.visible};
  }

private:
  std::vector<Count>& unpacked(const std::uint64_t* record) const {
    static thread_local std::vector<Count> cut;
    cut.assign(model_.threads(), 0);
    for (std::size_t f = 0; f < packing_.fields(); ++f)
      cut[packing_.field(f).thread] = packing_.get(record, packing_.field(f));
    return cut;
  }
  bool held_by_another(const std::vector<Count>& cut, ThreadNumber thread) const {
    for (ThreadNumber t = 0; t < cut.size(); ++t) {
      const auto steps = model_.steps(t);
      if (t != thread && cut[t] > 0 && cut[t] < steps.size() && steps[cut[t] - 1].glued) return true;
    }
    return false;
  }

  const Model& model_;
  const Packing& packing_;
  bool any_glued_ = false;
};

class ModelCuts : public CutMeaning {
public:
  ModelCuts(const Model& model, const Packing& packing) : model_(model), packing_(packing) {}
  std::vector<Count> unpack(const std::uint64_t* cut) const override {
    std::vector<Count> out(model_.threads(), 0);
    for (std::size_t f = 0; f < packing_.fields(); ++f)
      out[packing_.field(f).thread] = packing_.get(cut, packing_.field(f));
    return out;
  }
  EventName event_of(ThreadNumber thread, Count index) const override { return model_.steps(thread)[index].event; }

private:
  const Model& model_;
  const Packing& packing_;
};

Exploration explore_clocks(const Model& model, const MonitorSet& monitors, const Options& options) {
  Lattice lattice(monitors, options);
  for (ThreadNumber t = 0; t < model.threads(); ++t) {
    const auto steps = model.steps(t);
    const auto& clocks = model.clocks()->of_step[t];
    for (std::size_t k = 0; k < steps.size(); ++k) {
      Message message;
      message.glued = steps[k].glued;
      message.thread = t;
      message.sequence = k;
      message.position = message.event = steps[k].event;
      message.clock = clocks[k];
      if (lattice.add(message)) std::abort(); // our own clocks contradict themselves
    }
  }
  lattice.finish();
  lattice.advance();
  return lattice.result();
}

// Threads that never sent anything have a place in a cut as well.
Exploration padded(Exploration found, std::size_t threads) {
  for (Violation& violation : found.violations) violation.cut.resize(threads, 0);
  return found;
}

Exploration explore_nodes(const Model& model, const MonitorSet& monitors, const Options& options) {
  Packing packing;
  packing.clear();
  std::vector<std::pair<causality::EventIndex, std::uint32_t>> order; // the observed run: event, field
  for (ThreadNumber t = 0; t < model.threads(); ++t) {
    const auto steps = model.steps(t);
    if (steps.empty()) continue;
    for (const ModelStep& step : steps) order.emplace_back(step.event, static_cast<std::uint32_t>(packing.fields()));
    packing.add(t, 0, static_cast<Count>(steps.size()));
  }
  std::ranges::sort(order);
  std::vector<std::uint64_t> state(model.state_words(), 0);
  model.begin(state);
  LevelWalk walk(monitors, options);
  walk.begin(packing.words(), state);
  const ModelStepper stepper(model, packing);
  const ModelCuts meaning(model, packing);
  ObservedRun observed;
  observed.begin.counts.assign(packing.fields(), 0);
  for (std::size_t level = 0; !walk.over();) {
    observed.steps.assign(walk.levels_at_once(SIZE_MAX), {});
    for (std::size_t k = 0; k < observed.steps.size() && level + k < order.size(); ++k)
      observed.steps[k].field = order[level + k].second;
    for (std::size_t made = walk.expand(stepper, observed, 0, meaning); made > 0; --made, ++level)
      if (level < order.size()) ++observed.begin.counts[order[level].second];
  }
  return walk.result();
}

} // namespace

Exploration explore(const Model& model, const MonitorSet& monitors, const Options& options) {
  const bool clocks = model.clocks() != nullptr;
  return padded(clocks ? explore_clocks(model, monitors, options) : explore_nodes(model, monitors, options),
                model.threads());
}

} // namespace sooth::explore
