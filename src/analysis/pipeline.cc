#include "analysis/pipeline.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/coverage.h"
#include "analysis/find.h"
#include "analysis/suppressed.h"
#include "report/describe.h"
#include "report/suppressions.h"

namespace sooth::analysis {

using trace::Trace;
using witness::Finding;

namespace {

// Candidates are described as findings are, but stand apart.
void describe_candidates(const Trace& trace, const predict::Coverage& coverage, const report::OriginalAddress& original,
                         report::Report& report) {
  std::vector<Finding> listed;
  for (const predict::Candidate& candidate : coverage.listed) {
    Finding finding;
    finding.kind = candidate.kind;
    finding.places = candidate.places;
    finding.note = candidate.reason;
    listed.push_back(std::move(finding));
  }
  report::Report apart;
  report::describe(trace, listed, original, apart);
  report.candidates = std::move(apart.findings);
}

// Properties alone are checked under a model of their own.
std::string model_of_report(const Prepared& prepared, const Options& options) {
  const bool properties_only = options.find.empty() && !options.properties.file.empty();
  return properties_only && options.properties.model.empty() ? "hb" : model_for(prepared, options);
}

report::Report describe_all(const Prepared& prepared, const Options& options, Findings findings) {
  report::Report report;
  report.version = SOOTH_VERSION;
  report.model = model_of_report(prepared, options);
  report.looked_for = wanted_words(options);
  report.rejected = findings.objections.size();
  report.objections = std::move(findings.objections);
  const auto original = [&](std::uint64_t address) { return prepared.objects.original(address); };
  report::describe(prepared.trace, findings.accepted, original, report);
  report.analysed = report.events;
  report.events = std::max(report.events, prepared.trace.events_recorded);
  if (options.candidates) describe_candidates(prepared.trace, findings.coverage, original, report);
  report.coverage =
      coverage_of(prepared.trace, prepared.objects, prepared.computation, findings.coverage, prepared.left_out);
  report.coverage.unanswered = std::move(findings.unanswered);
  const LeftOut& left_out = prepared.left_out;
  if (left_out.unread || left_out.for_memory != 0 || left_out.for_time != 0)
    report.coverage.unanswered.emplace_back("the end of the trace");
  for (report::Gap& gap : findings.gaps) {
    report.coverage.complete = report.coverage.complete && gap.complete;
    report.coverage.gaps.push_back(std::move(gap));
  }
  return report;
}

} // namespace

Result<report::Report> analyse(Trace trace, const LeftOut& left_out, const std::string& name, const Options& options,
                               const Spending& spending, Progress& progress) {
  auto suppressions = read_suppressions(options.suppressions);
  if (!suppressions) return suppressions.error();
  auto prepared = prepare(std::move(trace), spending, progress, left_out);
  if (!prepared) return Error{prepared.error().message, name};
  auto findings = find_all(**prepared, options, spending, progress);
  if (!findings) return findings.error().file.empty() ? Error{findings.error().message, name} : findings.error();
  report::Report report = describe_all(**prepared, options, std::move(*findings));
  report.trace = name;
  report::suppress_in_source(report);
  report::suppress(*suppressions, report);
  return report;
}

} // namespace sooth::analysis
