#include "predict/properties.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "causality/model.h"
#include "explore/lattice.h"
#include "explore/property_monitors.h"
#include "logic/occurrences.h"
#include "predict/faults_text.h"
#include "predict/liveness.h"
#include "predict/run_table.h"
#include "predict/unrecorded.h"
#include "trace/lost.h"

namespace sooth::predict {

namespace {

using causality::EventIndex;
using explore::End;
using witness::Finding;

witness::Model model_number(std::string_view name) {
  if (name == "hb") return witness::Model::HappensBefore;
  if (name == "hb-locks") return witness::Model::HappensBeforeLocks;
  if (name == "whb") return witness::Model::WeakHappensBefore;
  if (name == "whb-locks") return witness::Model::WeakHappensBeforeLocks;
  if (name == "full") return witness::Model::Full;
  if (name == "sliced") return witness::Model::Sliced;
  return witness::Model::Maximal;
}

class PropertyEngine {
public:
  PropertyEngine(const trace::Trace& trace, const logic::PropertyFile& file, const PropertyOptions& options)
      : trace_(trace), file_(file), options_(options), events_(explore::property_events(file, trace)),
        monitors_(file, events_), table_(file, events_, trace) {}

  Result<PropertyAnswer> run(const causality::Computation& computation, std::string_view name) {
    const causality::ModelRow* row = causality::find_model(name);
    if (row == nullptr) return Error{fmt::format("there is no model `{}`.", name)};
    auto model = row->make(trace_, computation, events_.relevance());
    if (!model) return model.error();
    answer_.relevant_events = events_.events.size();
    observe(computation.first_misplaced);
    const logic::Faults observed_faults = monitors_.faults();
    if (const std::string reason = why_not_predicted(); !reason.empty()) {
      // What orders threads and is not in the trace could make a prediction wrong. What was observed stays.
      answer_.complete = false;
      answer_.bounds.push_back("no other run was looked at: " + reason);
      for (Finding& finding : answer_.findings) finding.model = model_number(name);
    } else {
      predict(**model, model_number(name));
      look_for_loops(**model, model_number(name));
      if (options_.count) count(**model);
    }
    tell(**model);
    tell_faults(observed_faults);
    return std::move(answer_);
  }

private:
  std::string why_not_predicted() const {
    if (const std::string names = unrecorded_synchronisation(trace_); !names.empty())
      return "the program used what is not recorded (" + names + ")";
    return trace::lost_events(trace_) != 0 ? "events were lost, and they may have ordered the others" : "";
  }

  // The monitors on the recorded run alone, before `end`: the first place where each objects.
  void observe(std::uint32_t end) {
    std::vector<std::uint64_t> values(monitors_.value_words());
    const explore::Letter first = monitors_.begin(values);
    std::vector<explore::MonitorState> states;
    for (std::size_t m = 0; m < monitors_.monitors(); ++m) {
      const explore::Move move = monitors_.start(m, first);
      if (move.violated) observed_.emplace(m, 0);
      states.push_back(move.state);
    }
    std::size_t taken = 0;
    for (const explore::RelevantEvent& event : events_.events) {
      if (event.event >= end) {
        answer_.complete = false;
        answer_.bounds.push_back(
            fmt::format("nobody knows in which order things happened from event {} on (racing accesses)", end));
        break;
      }
      ++taken;
      const explore::Letter letter = monitors_.apply(event.event, values);
      for (std::size_t m = 0; m < states.size(); ++m) {
        if (observed_.contains(m)) continue;
        const explore::Move move = monitors_.step(m, states[m], letter);
        if (move.violated) observed_.emplace(m, taken);
        states[m] = move.state;
      }
    }
    for (const auto& [monitor, steps] : observed_) {
      std::vector<EventIndex> path;
      path.reserve(steps);
      for (std::size_t k = 0; k < steps; ++k) path.push_back(events_.events[k].event);
      Finding finding = finding_of(monitor, path);
      finding.status = witness::Status::Observed;
      finding.witness.observed = path.empty() ? 0 : path.back() + 1;
      answer_.findings.push_back(std::move(finding));
    }
  }

  Finding finding_of(std::size_t monitor, const std::vector<EventIndex>& path) const {
    const logic::Property& property = *monitors_.properties()[monitor];
    Finding finding;
    finding.kind =
        property.kind == logic::PropertyKind::Formula ? witness::FindingKind::Property : witness::FindingKind::Monitor;
    finding.engine = "lattice";
    finding.property = property.name;
    finding.run = table_.run(property, path);
    if (!path.empty()) finding.places.push_back({static_cast<std::uint32_t>(path.back()), witness::Role::Step});
    return finding;
  }

  void predict(const causality::Model& model, witness::Model number) {
    const explore::Exploration found = explore::explore(model, monitors_, options_.exploration);
    answer_.statistics = found.statistics;
    for (const explore::Violation& violation : found.violations) {
      if (told_as_observed(violation)) continue;
      std::vector<EventIndex> visible, path;
      for (const explore::PathStep& step : violation.path) {
        path.push_back(step.event);
        if (model.steps(step.thread)[step.index].visible) visible.push_back(step.event);
      }
      Finding finding = finding_of(violation.monitor, visible);
      finding.model = number;
      const std::vector<EventIndex> run = model.run_along(path);
      while (finding.witness.observed < run.size() && run[finding.witness.observed] == finding.witness.observed)
        ++finding.witness.observed;
      for (std::size_t k = finding.witness.observed; k < run.size(); ++k)
        finding.witness.steps.push_back(static_cast<std::uint32_t>(run[k]));
      answer_.findings.push_back(std::move(finding));
    }
    for (Finding& finding : answer_.findings) finding.model = number;
    bounds(found);
  }

  // A property that fails in the recorded run is told once; with --all its other failing cuts are told as well.
  bool told_as_observed(const explore::Violation& violation) const {
    const auto seen = observed_.find(violation.monitor);
    if (seen == observed_.end()) return false;
    if (options_.exploration.until != explore::Until::All) return true;
    std::vector<explore::Count> cut(violation.cut.size(), 0);
    for (std::size_t k = 0; k < seen->second; ++k) ++cut[trace_.events[events_.events[k].event].thread];
    return cut == violation.cut;
  }

  void bounds(const explore::Exploration& found) {
    const auto bound = [this](std::string reason) {
      answer_.complete = false;
      answer_.bounds.push_back(std::move(reason));
    };
    if (found.statistics.cuts_left_out != 0)
      bound(fmt::format("{} cuts were left out: only the {} nearest to the observed run were kept of each level",
                        found.statistics.cuts_left_out, options_.exploration.max_width));
    if (found.statistics.violations_left_out != 0)
      bound(fmt::format("{} more violations were not kept", found.statistics.violations_left_out));
    if (found.end == End::OutOfTime) bound("the budget of time was used up");
    if (found.end == End::OutOfMemory) bound("the budget of memory was used up");
    if (events_.cut_short) bound("a write's contents are not known, and nothing after it was looked at");
  }

  void look_for_loops(const causality::Model& model, witness::Model number) {
    LivenessLimits limits;
    limits.seconds = options_.exploration.budget_seconds;
    LivenessAnswer loops = find_possible_liveness(trace_, model, file_, events_, limits);
    for (Finding& finding : loops.findings) {
      finding.model = number;
      answer_.findings.push_back(std::move(finding));
    }
    if (loops.complete) return;
    answer_.complete = false;
    answer_.bounds.push_back("not all paths were tried for the `liveness` properties");
  }

  void count(const causality::Model& model) {
    answer_.counted = explore::count_runs(model, monitors_, options_.exploration);
    for (const logic::Property* property : monitors_.properties()) answer_.counted_properties.push_back(property->name);
  }

  // Each state of the observed run counts once. In the others a state is met on many ways: they are told of only if there
  // was nothing in the observed one.
  void tell_faults(const logic::Faults& observed) {
    logic::Faults faults = observed.any() ? observed : monitors_.faults();
    if (!faults.any()) return;
    answer_.remarks.push_back(
        fmt::format("{} {}; a condition without a value is false.", faults_text(faults),
                    observed.any() ? "in states of the observed run" : "in states of other runs"));
  }

  void tell(const causality::Model& model) {
    for (const std::string& name : events_.assumed)
      answer_.remarks.push_back(
          fmt::format("nobody saw what `{}` was before it was first written; it is taken to have been zero.", name));
    if (events_.external_writes != 0)
      answer_.remarks.push_back(fmt::format("{} changes of the properties' variables came from code that is not "
                                            "recorded; each stands where it was first seen.",
                                            events_.external_writes));
    for (const std::string& name : logic::partly_seen_calls(file_, trace_.sites)) {
      answer_.complete = false;
      answer_.bounds.push_back(
          fmt::format("calls of `{}` in which nothing is recorded are not seen; compile the program "
                      "with -fsooth-property={} to keep them all",
                      name, file_.name));
    }
    for (const std::string& limit : model.limits()) {
      answer_.complete = false;
      answer_.bounds.push_back(limit);
    }
  }

  const trace::Trace& trace_;
  const logic::PropertyFile& file_;
  const PropertyOptions& options_;
  const explore::PropertyEvents events_;
  const explore::PropertyMonitors monitors_;
  const RunTable table_;
  std::map<std::size_t, std::size_t> observed_; // monitor -> relevant events up to its first objection
  PropertyAnswer answer_;
};

} // namespace

Result<PropertyAnswer> check_properties(const trace::Trace& trace, const causality::Computation& computation,
                                        const logic::PropertyFile& file, std::string_view model,
                                        const PropertyOptions& options) {
  return PropertyEngine(trace, file, options).run(computation, model);
}

} // namespace sooth::predict
