#include "observe/findings.h"

#include <algorithm>

#include <fmt/format.h>

#include "properties/lasso_search.h"
#include "properties/run_table.h"
#include "report/fingerprint.h"
#include "trace/trace.h"

namespace sooth::observe {
namespace {

report::Spot spot_of(const trace::Site& site) {
  return {site.file, site.line, site.column, site.function, (site.flags & trace::kSiteSystem) != 0};
}

// What the property can see of a step: "radio = 0, call f".
std::string what_text(const logic::PropertyFile& file, const Happening& what) {
  std::string out;
  const auto add = [&](const std::string& text) { out += (out.empty() ? "" : ", ") + text; };
  for (const VariableWrite& write : what.writes)
    add(fmt::format("{} = {}", file.variables[write.variable].name,
                    properties::value_text(file.types[write.variable], write.value)));
  for (std::size_t k = 0; k < file.events.size(); ++k)
    if ((what.happened >> k & 1) != 0) add(properties::event_name(file.events[k]));
  if (what.kind == static_cast<std::uint8_t>(trace::EventKind::ExternalWrite)) out += " (from outside)";
  return out;
}

// The names of the events of the property file that happened.
std::string happened_text(const logic::PropertyFile& file, std::uint64_t happened) {
  std::string out;
  for (std::size_t k = 0; k < file.events.size(); ++k)
    if ((happened >> k & 1) != 0 && !file.events[k].name.empty())
      out += (out.empty() ? "" : ", ") + file.events[k].name;
  return out;
}

// The variables as far as they are known: those of the beginning, if it was kept, and the values
// that the steps wrote.
class State {
public:
  State(const logic::PropertyFile& file, const std::vector<std::uint64_t>& values)
      : file_(file), values_(values), known_(file.variables.size(), !values.empty()) {
    values_.resize(file.variables.size());
  }
  void take(const Happening& what) {
    for (const VariableWrite& write : what.writes) values_[write.variable] = write.value, known_[write.variable] = true;
  }
  std::string text(const logic::Property& property) const {
    std::string out;
    for (const std::uint32_t v : property.variables)
      out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", file_.variables[v].name,
                         known_[v] ? properties::value_text(file_.types[v], values_[v]) : "?");
    return out;
  }

private:
  const logic::PropertyFile& file_;
  std::vector<std::uint64_t> values_;
  std::vector<bool> known_;
};

report::RunText run_text(const FoundRun& run, const logic::PropertyFile& file, const ProgramSymbols& symbols) {
  constexpr std::size_t kSteps = 40; // the last ones are shown
  const witness::PropertyRun rule = properties::rule_of(*run.property);
  State state(file, run.values);
  report::RunText out{rule.rule, rule.place, state.text(*run.property), run.before, {}, run.repeated, {},
                      {},        rule.entry};
  for (std::size_t k = 0; k < run.path.size(); ++k) {
    const RunStep& step = run.path[k];
    state.take(step.happening);
    if (run.path.size() - k > kSteps) {
      ++out.skipped;
      continue;
    }
    out.steps.push_back({static_cast<std::uint32_t>(step.happening.position), step.thread,
                         what_text(file, step.happening), state.text(*run.property), step.happening.position,
                         spot_of(symbols.site(step.happening.site))});
  }
  return out;
}

report::StepText step_text(const RunStep& step, const logic::PropertyFile& file, const ProgramSymbols& symbols) {
  const Happening& what = step.happening;
  report::StepText out;
  out.event = static_cast<std::uint32_t>(what.position);
  out.thread = step.thread;
  out.kind = trace::kind_name(static_cast<trace::EventKind>(what.kind));
  out.spot = spot_of(symbols.site(what.site));
  out.variable = happened_text(file, what.happened);
  if (!what.writes.empty()) {
    const logic::Variable& variable = file.variables[what.writes.front().variable];
    out.variable = variable.name;
    out.address = variable.address;
    out.value = properties::value_text(variable.type, what.writes.front().value);
    out.number = what.writes.front().value;
    out.size = variable.size;
    out.access = true;
  }
  out.synchronises = true; // every step of a property's run is to be shown
  return out;
}

witness::FindingKind kind_of(logic::PropertyKind kind) {
  if (kind == logic::PropertyKind::Formula) return witness::FindingKind::Property;
  return kind == logic::PropertyKind::Liveness ? witness::FindingKind::PossibleLiveness : witness::FindingKind::Monitor;
}

void remember(report::StepText step, std::vector<report::StepText>& steps) {
  const auto at = std::ranges::lower_bound(steps, step.event, {}, &report::StepText::event);
  if (at == steps.end() || at->event != step.event) steps.insert(at, std::move(step));
}

} // namespace

void add_finding(const FoundRun& run, const logic::PropertyFile& file, const ProgramSymbols& symbols,
                 report::Report& report) {
  report::FindingText finding;
  finding.id = static_cast<std::uint32_t>(report.findings.size() + 1);
  finding.kind = kind_of(run.property->kind);
  finding.status = run.status;
  finding.model = witness::Model::HappensBefore;
  finding.engine = run.repeated != 0 ? "lasso, online" : "the lattice, online";
  if (run.repeated != 0) finding.note = properties::lasso_note(run.repeated);
  finding.property = run.property->name;
  finding.observed_prefix = run.before;
  finding.run = run_text(run, file, symbols);
  std::vector<RunStep> observed = run.path;
  std::ranges::sort(observed, {}, [](const RunStep& step) { return step.happening.position; });
  for (const RunStep& step : run.path) {
    remember(step_text(step, file, symbols), report.steps);
    finding.schedule.push_back(static_cast<std::uint32_t>(step.happening.position));
    if (std::ranges::none_of(finding.threads, [&](const auto& t) { return t.number == step.thread; }))
      finding.threads.push_back({step.thread, "", 0, false, {}});
  }
  for (const RunStep& step : observed) finding.observed.push_back(static_cast<std::uint32_t>(step.happening.position));
  if (run.status == witness::Status::Observed) finding.observed.clear(); // it is the run itself
  if (!run.path.empty()) {
    report::PlaceText place;
    place.step = step_text(run.path.back(), file, symbols);
    place.step.access = false; // which locks were held is not known here
    place.role = witness::Role::Step;
    place.stack = {place.step.spot};
    finding.places.push_back(std::move(place));
  }
  finding.fingerprint = report::fingerprint(finding);
  report.findings.push_back(std::move(finding));
}

} // namespace sooth::observe
