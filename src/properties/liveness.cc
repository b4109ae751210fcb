#include "properties/liveness.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "properties/run_table.h"

namespace sooth::properties {

namespace {

using causality::Count;
using causality::EventIndex;
using causality::ThreadNumber;
using explore::RelevantEvent;

class LassoSearch {
public:
  LassoSearch(const causality::Model& model, const logic::PropertyFile& file, const explore::PropertyEvents& events,
              const logic::Property& property, const LivenessLimits& limits)
      : model_(model), file_(file), events_(events), property_(property), limits_(limits), cut_(model.threads(), 0) {}

  // Fills `u` and `v` with the visible events of a violating lasso.
  bool run() {
    std::vector<std::uint64_t> state(model_.state_words(), 0);
    model_.begin(state);
    states_.push_back({events_.initial, std::vector<std::uint32_t>(file_.variables.size(), 0)});
    letters_.push_back(file_.letter(property_, events_.initial, 0));
    return extend(state);
  }
  bool complete() const { return complete_; }

  std::vector<EventIndex> path;    // all steps of the model
  std::vector<EventIndex> visible; // those that properties see
  std::size_t u = 0;               // so many of the visible ones come once; the others repeat

private:
  struct State {
    std::vector<std::uint64_t> values;
    std::vector<std::uint32_t> bindings;
    friend bool operator==(const State&, const State&) = default;
  };

  bool spent() {
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - started_;
    if (steps_ < limits_.steps && tests_ < limits_.tests && (limits_.seconds <= 0 || time.count() < limits_.seconds))
      return false;
    complete_ = false;
    return true;
  }

  // Threads that can move, the one whose step was observed first in front.
  std::vector<ThreadNumber> movable(const std::vector<std::uint64_t>& state) const {
    std::vector<ThreadNumber> out;
    for (ThreadNumber t = 0; t < cut_.size(); ++t) {
      const auto steps = model_.steps(t);
      if (cut_[t] > 0 && cut_[t] < steps.size() && steps[cut_[t] - 1].glued) return {t};
      if (cut_[t] < steps.size() && model_.enabled(cut_, state, t)) out.push_back(t);
    }
    std::ranges::sort(out, {}, [&](ThreadNumber t) { return model_.steps(t)[cut_[t]].event; });
    return out;
  }

  bool extend(const std::vector<std::uint64_t>& state) {
    for (const ThreadNumber t : movable(state)) {
      if (spent()) return false;
      ++steps_;
      const causality::ModelStep& step = model_.steps(t)[cut_[t]];
      std::vector<std::uint64_t> next = state;
      model_.advance(cut_, next, t);
      ++cut_[t];
      path.push_back(step.event);
      if (step.visible) see(step.event);
      if ((step.visible && closes_a_loop()) || extend(next)) return true;
      if (step.visible) forget();
      path.pop_back();
      --cut_[t];
    }
    return false;
  }

  void see(EventIndex index) {
    const RelevantEvent& event = *std::ranges::lower_bound(events_.events, index, {}, &RelevantEvent::event);
    State after = states_.back();
    for (std::uint32_t k = event.first_effect; k < event.first_effect + event.effects; ++k) {
      const explore::Effect& effect = events_.effects[k];
      if (effect.binds != 0) after.bindings[effect.variable] = effect.binds;
      else if (effect.binding != explore::kAnyBinding && after.bindings[effect.variable] != effect.binding) continue;
      after.values[effect.variable] = (after.values[effect.variable] & ~effect.mask) | effect.bits;
    }
    letters_.push_back(file_.letter(property_, after.values, event.happened));
    states_.push_back(std::move(after));
    visible.push_back(index);
  }
  void forget() {
    letters_.pop_back();
    states_.pop_back();
    visible.pop_back();
  }

  // The newest state was there before: u leads to it, v comes back to it.
  bool closes_a_loop() {
    for (std::size_t i = 0; i + 1 < states_.size(); ++i) {
      if (!(states_[i] == states_.back())) continue;
      ++tests_;
      const std::span<const logic::Letter> letters(letters_);
      if (property_.lasso->holds(letters.first(i + 1), letters.subspan(i + 1))) continue;
      u = i;
      return true;
    }
    return false;
  }

  const causality::Model& model_;
  const logic::PropertyFile& file_;
  const explore::PropertyEvents& events_;
  const logic::Property& property_;
  const LivenessLimits& limits_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::vector<Count> cut_;
  std::vector<State> states_;
  std::vector<logic::Letter> letters_; // one for each state
  std::uint64_t steps_ = 0, tests_ = 0;
  bool complete_ = true;
};

} // namespace

LivenessAnswer find_possible_liveness(const trace::Trace& trace, const causality::Model& model,
                                      const logic::PropertyFile& file, const explore::PropertyEvents& events,
                                      const LivenessLimits& limits) {
  LivenessAnswer out;
  const RunTable table(file, events, trace);
  for (const logic::Property& property : file.properties) {
    if (property.lasso == nullptr) continue;
    LassoSearch search(model, file, events, property, limits);
    const bool found = search.run();
    out.complete = out.complete && (found || search.complete());
    if (!found) continue;
    witness::Finding finding;
    finding.kind = witness::FindingKind::PossibleLiveness;
    finding.engine = "lasso";
    finding.property = property.name;
    finding.run = table.run(property, search.visible);
    finding.run.repeated = search.visible.size() - search.u;
    finding.note =
        fmt::format("Possible, not certain: the last {} steps of this run lead back to the same state of the "
                    "property's variables, and could repeat for ever.",
                    finding.run.repeated);
    finding.places.push_back({static_cast<std::uint32_t>(search.visible.back()), witness::Role::Step});
    const std::vector<EventIndex> run = model.run_along(search.path);
    while (finding.witness.observed < run.size() && run[finding.witness.observed] == finding.witness.observed)
      ++finding.witness.observed;
    for (std::size_t k = finding.witness.observed; k < run.size(); ++k)
      finding.witness.steps.push_back(static_cast<std::uint32_t>(run[k]));
    out.findings.push_back(std::move(finding));
  }
  return out;
}

} // namespace sooth::properties
