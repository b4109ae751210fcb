#include "properties/properties.h"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "causality/models/model.h"
#include "explore/lattice.h"
#include "explore/property_monitors.h"
#include "logic/occurrences.h"
#include "predict/question/model_rules.h"
#include "predict/question/unrecorded.h"
#include "properties/faults_text.h"
#include "properties/liveness.h"
#include "properties/recorded_run.h"
#include "properties/run_table.h"
#include "trace/lost.h"

namespace sooth::properties {

namespace {

using causality::EventIndex;
using explore::End;
using witness::Finding;

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
    const RecordedRun recorded(trace_, computation, monitors_);
    recorded_ = &recorded;
    const std::string reason = why_not_predicted();
    observe(computation.first_misplaced);
    if (!reason.empty()) {
      // Synchronisation that is not in the trace could make a prediction wrong. Observed violations
      // stay.
      answer_.complete = false;
      answer_.bounds.push_back("no other run was looked at: " + reason);
      tell_doubts();
    } else if (!is_enough()) {
      if (!stops_at_first()) add_doubtful();
      predict(**model);
      if (stops_at_first() && !is_enough()) add_doubtful(); // the exploration was ended before it came there
      if (!is_enough()) look_for_loops(**model);
    }
    if (reason.empty() && options_.count) count(**model);
    if (stops_at_first() && answer_.findings.size() > 1) answer_.findings.resize(1);
    for (Finding& finding : answer_.findings) finding.model = *predict::model_named(name);
    tell(**model);
    tell_faults(recorded.faults());
    return std::move(answer_);
  }

private:
  std::string why_not_predicted() const {
    if (const std::string names = predict::unrecorded_synchronisation(trace_); !names.empty())
      return "the program used what is not recorded (" + names + ")";
    return trace::lost_events(trace_) != 0 ? "events were lost, and they may have ordered the others" : "";
  }

  bool stops_at_first() const { return options_.exploration.until == explore::Until::First; }
  bool is_enough() const { return stops_at_first() && !answer_.findings.empty(); }

  // Violations that certainly happened in the recorded run: for each monitor where it objects
  // first, or only the first of all.
  void observe(std::uint32_t end) {
    const RecordedViolation* first = nullptr;
    for (const RecordedViolation& violation : recorded_->violations()) {
      if (!violation.certain) continue;
      if (!stops_at_first()) add_recorded(violation);
      else if (first == nullptr || violation.steps < first->steps) first = &violation;
    }
    if (first != nullptr) add_recorded(*first);
    if (!recorded_->ends_early()) return;
    answer_.complete = false;
    answer_.bounds.push_back(
        fmt::format("nobody knows in which order things happened from event {} on (racing accesses)", end));
  }

  // A violation in the trace's order, but not in every order that the recording allows, is a run
  // like all others.
  void add_doubtful() {
    for (const RecordedViolation& violation : recorded_->violations())
      if (!violation.certain && !is_enough()) add_recorded(violation);
  }
  void tell_doubts() {
    for (const RecordedViolation& violation : recorded_->violations())
      if (!violation.certain)
        answer_.bounds.push_back(
            fmt::format("`{}` may have failed in the recorded run, whose order is not known exactly{}",
                        monitors_.properties()[violation.monitor]->name,
                        how_to_know_order(trace_, recorded_->doubt(violation).value_or(std::pair(0, 0)))));
  }

  void add_recorded(const RecordedViolation& violation) {
    const std::vector<EventIndex> path = recorded_->path(violation);
    Finding finding = finding_of(violation.monitor, path);
    if (violation.certain) finding.status = witness::Status::Observed;
    else name_unordered(violation.monitor, recorded_->doubt(violation), finding);
    finding.witness.observed = path.empty() ? 0 : path.back() + 1;
    told_.emplace(violation.monitor, finding.run.cut);
    answer_.findings.push_back(std::move(finding));
  }

  void name_unordered(std::size_t monitor, const RecordedRun::Pair& pair, Finding& finding) const {
    if (!pair) return;
    const logic::Property& property = *monitors_.properties()[monitor];
    finding.run.unordered = {table_.recorded_step(property, pair->first), table_.recorded_step(property, pair->second)};
  }

  Finding finding_of(std::size_t monitor, const std::vector<EventIndex>& path) const {
    const logic::Property& property = *monitors_.properties()[monitor];
    Finding finding;
    finding.kind =
        property.kind == logic::PropertyKind::Formula ? witness::FindingKind::Property : witness::FindingKind::Monitor;
    finding.engine = "lattice";
    finding.property = property.name;
    finding.run = table_.run(property, path);
    name_unordered(monitor, recorded_->unordered(path), finding);
    if (!path.empty()) finding.places.push_back({static_cast<std::uint32_t>(path.back()), witness::Role::Step});
    return finding;
  }

  void predict(const causality::Model& model) {
    const explore::Exploration found = explore::explore(model, monitors_, options_.exploration);
    answer_.statistics = found.statistics;
    for (const explore::Violation& violation : found.violations) {
      std::vector<EventIndex> visible, path;
      for (const explore::PathStep& step : violation.path) {
        path.push_back(step.event);
        if (model.steps(step.thread)[step.index].visible) visible.push_back(step.event);
      }
      Finding finding = finding_of(violation.monitor, visible);
      if (told_as_recorded(violation.monitor, finding.run.cut)) continue;
      const std::vector<EventIndex> run = model.run_along(path);
      while (finding.witness.observed < run.size() && run[finding.witness.observed] == finding.witness.observed)
        ++finding.witness.observed;
      for (std::size_t k = finding.witness.observed; k < run.size(); ++k)
        finding.witness.steps.push_back(static_cast<std::uint32_t>(run[k]));
      answer_.findings.push_back(std::move(finding));
    }
    bounds(found);
  }

  // A property that fails in the trace's order is reported once; with --all its other failing cuts
  // are reported as well.
  bool told_as_recorded(std::size_t monitor, const std::vector<std::uint32_t>& cut) const {
    const auto told = told_.find(monitor);
    return told != told_.end() && (options_.exploration.until != explore::Until::All || told->second == cut);
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

  void look_for_loops(const causality::Model& model) {
    LassoLimits limits;
    limits.seconds = options_.exploration.budget_seconds;
    LivenessAnswer loops = find_possible_liveness(trace_, model, file_, events_, limits);
    std::ranges::move(loops.findings, std::back_inserter(answer_.findings));
    if (loops.complete) return;
    answer_.complete = false;
    answer_.bounds.push_back("not all paths were tried for the `liveness` properties");
  }

  // Two runs are two orders of what the properties see, under every model; and all of them count.
  void count(const causality::Model& model) {
    if (answer_.statistics.cuts_left_out != 0) {
      answer_.remarks.emplace_back("runs are not counted, because cuts were left out (--max-width)");
      return;
    }
    for (causality::ThreadNumber thread = 0; thread < model.threads(); ++thread)
      if (!std::ranges::all_of(model.steps(thread), &causality::ModelStep::visible)) {
        answer_.remarks.push_back(fmt::format(
            "runs are not counted: under {} they also differ in steps that no property sees", model.name()));
        return;
      }
    answer_.counted = explore::count_runs(model, monitors_, options_.exploration);
    for (const logic::Property* property : monitors_.properties()) answer_.counted_properties.push_back(property->name);
  }

  // Each state of the observed run counts once. In other runs a state is met on many ways: they are
  // counted only if there was nothing in the observed one.
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
  const RecordedRun* recorded_ = nullptr;
  std::map<std::size_t, std::vector<std::uint32_t>> told_; // monitor -> the cut in which the recorded run fails
  PropertyAnswer answer_;
};

} // namespace

Result<PropertyAnswer> check_properties(const trace::Trace& trace, const causality::Computation& computation,
                                        const logic::PropertyFile& file, std::string_view model,
                                        const PropertyOptions& options) {
  return PropertyEngine(trace, file, options).run(computation, model);
}

} // namespace sooth::properties
