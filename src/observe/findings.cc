#include "observe/findings.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "report/fingerprint.h"
#include "trace/trace.h"

namespace sooth::observe {
namespace {

report::Spot spot_of(const trace::Site& site) {
  return {site.file, site.line, site.column, site.function, (site.flags & trace::kSiteSystem) != 0};
}

// The names of the events of the property file that happened.
std::string happened_text(const logic::PropertyFile& file, std::uint64_t happened) {
  std::string out;
  for (std::size_t k = 0; k < file.events.size(); ++k)
    if ((happened >> k & 1) != 0 && !file.events[k].name.empty())
      out += (out.empty() ? "" : ", ") + file.events[k].name;
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
    out.value = value_text(variable.type, what.writes.front().value);
    out.number = what.writes.front().value;
    out.size = variable.size;
    out.access = true;
  }
  out.synchronises = true; // every step of a property's run is to be shown
  return out;
}

void remember(report::StepText step, std::vector<report::StepText>& steps) {
  const auto at = std::ranges::lower_bound(steps, step.event, {}, &report::StepText::event);
  if (at == steps.end() || at->event != step.event) steps.insert(at, std::move(step));
}

} // namespace

std::string value_text(const logic::ScalarType& type, std::uint64_t value) {
  const unsigned bits = type.bit_width != 0 ? type.bit_width : 8u * type.bytes;
  value >>= type.bit_offset;
  if (bits < 64) value &= (std::uint64_t{1} << bits) - 1;
  switch (type.kind) {
  case logic::ScalarKind::Signed: {
    const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
    return fmt::format("{}", static_cast<std::int64_t>((value ^ sign) - sign));
  }
  case logic::ScalarKind::Float:
    if (bits == 32) return fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(value)));
    return fmt::format("{}", std::bit_cast<double>(value));
  case logic::ScalarKind::Pointer: return fmt::format("{:#x}", value);
  default: return fmt::format("{}", value);
  }
}

void add_finding(const FoundRun& run, const logic::PropertyFile& file, const ProgramSymbols& symbols,
                 report::Report& report) {
  report::FindingText finding;
  finding.id = static_cast<std::uint32_t>(report.findings.size() + 1);
  finding.kind = witness::FindingKind::Property;
  finding.status = run.status;
  finding.model = witness::Model::HappensBefore;
  finding.engine = "the lattice, online";
  finding.property = run.property->name;
  finding.observed_prefix = run.before;
  if (run.path.empty()) finding.note = "The property fails in the first state.";
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
