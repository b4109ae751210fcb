#include "analysis/pipeline.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/coverage.h"
#include "analysis/cut.h"
#include "analysis/find.h"
#include "analysis/piece_reports.h"
#include "analysis/prepare.h"
#include "analysis/property_engine.h"
#include "analysis/scripts.h"
#include "analysis/suppressed.h"
#include "base/interrupt.h"
#include "report/describe.h"
#include "report/fingerprint.h"
#include "report/renumber.h"
#include "report/suppressions.h"
#include "trace/lost.h"

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
  report::describe(trace, listed, original, apart, {.each = true});
  report.candidates = std::move(apart.findings);
}

// Properties alone are checked under a model of their own.
std::string model_of_report(const Prepared& prepared, const Options& options) {
  const bool properties_only = options.find.empty() && !options.properties.file.empty();
  return properties_only && options.properties.model.empty() ? default_model_for_properties(prepared)
                                                             : model_for(prepared, options);
}

void add_interruption(report::Report& report) {
  report.partial = true;
  report.coverage.complete = false;
  report.coverage.unanswered.emplace_back("what had not been looked at when the analysis was interrupted");
  report.coverage.gaps.insert(
      report.coverage.gaps.begin(),
      {"interrupted", 1, "interruption ended the analysis: this is what was known by then", false});
}

// What needs the fingerprints of whole findings; and which suppressions were of no use.
void suppress_the_rest(report::Suppressor& suppressor, report::Report& report) {
  suppressor.keep_back_fingerprints(report);
  const std::vector<std::string> unused = suppressor.unused(report.looked_for);
  if (!unused.empty())
    report.coverage.gaps.push_back({report::kUnusedSuppressions, unused.size(), "suppressions matched nothing", true,
                                    fmt::format("{}", fmt::join(unused, ", "))});
}

report::Report describe_all(const Prepared& prepared, const Options& options, Findings findings,
                            report::Suppressor& suppressor) {
  report::Report report;
  report.version = SOOTH_VERSION;
  report.model = model_of_report(prepared, options);
  report.looked_for = wanted_words(options);
  report.rejected = findings.objections.size();
  report.objections = std::move(findings.objections);
  const auto original = [&](std::uint64_t address) { return prepared.objects.original(address); };
  report::describe(prepared.trace, findings.accepted, original, report,
                   {options.each, options.whole_witness,
                    [&](const report::FindingText& finding) { return suppressor.keeps_back(finding); },
                    options.scripts ? scripting(prepared) : report::Scripting()});
  report.analysed = report.events - prepared.trace.standing + prepared.trace.first_number;
  report.events = std::max(report.events, prepared.trace.events_recorded);
  if (options.candidates) describe_candidates(prepared.trace, findings.coverage, original, report);
  report.coverage =
      coverage_of(prepared.trace, prepared.objects, prepared.computation, findings.coverage, prepared.left_out);
  report.coverage.budget = options.limits.seconds;
  report.coverage.unanswered = std::move(findings.unanswered);
  if (prepared.left_out.any()) report.coverage.unanswered.emplace_back("the end of the trace");
  if (ends_early(prepared.trace)) report.coverage.unanswered.emplace_back("what the trace has lost");
  for (report::Gap& gap : findings.gaps) {
    report.coverage.complete = report.coverage.complete && gap.complete;
    report.coverage.gaps.push_back(std::move(gap));
  }
  return report;
}

// The report about one piece, which may be the whole trace. `misused` goes from one piece to the
// next.
Result<report::Report> analyse_piece(Trace piece, const LeftOut& left_out, const Options& options, Spending& spending,
                                     Progress& progress, report::Suppressor& suppressor,
                                     std::vector<std::uint64_t>& misused, const survey::Settled& settled) {
  auto prepared = prepare(std::move(piece), spending, progress, left_out, &misused);
  if (!prepared) return prepared.error();
  (*prepared)->settled = settled;
  if (spending.looks) spending.looks();
  auto findings = find_all(**prepared, options, spending, progress);
  if (!findings) return findings.error();
  report::Report report = describe_all(**prepared, options, std::move(*findings), suppressor);
  report::renumber((*prepared)->trace, report);
  return report;
}

// Reports number events with 32 bits; a piece that they do not reach is left out.
void leave_out_unnumbered(Trace& piece, LeftOut& left_out) {
  if (piece.events.empty() || piece.number_of(piece.events.size() - 1) <= kMostNumbered) return;
  left_out.for_numbers = cut(piece, piece.standing);
}

} // namespace

Result<report::Report> analyse(const std::string& file, const std::string& name, const Options& options,
                               Spending& spending, Progress& progress, std::vector<std::string>& notes) {
  auto suppressions = read_suppressions(options.suppressions);
  if (!suppressions) return suppressions.error();
  progress.stage("reading", 0, 1);
  Reading reading(options, spending);
  if (const auto error = reading.open(file)) return *error;
  PieceReports reports;
  std::optional<report::Suppressor> suppressor;
  do {
    Trace piece;
    const trace::Pieces::Got got = reading.next(piece);
    if (got == trace::Pieces::Got::BeginAgain) {
      reports = {};
      continue;
    }
    if (got == trace::Pieces::Got::Nothing && !reports.empty()) break;
    if (reports.empty()) notes = piece.notes;
    if (!suppressor) suppressor.emplace(std::move(*suppressions), piece.process.directory);
    leave_out_unnumbered(piece, reading.left_out);
    if (!reading.is_over() && spending.budget.spent() != nullptr) reading.left_out.unread = true;
    // A piece gets half of the remaining time, so that some time is left for every later piece.
    Spending half(spending.limited() ? std::max(spending.left() / 2, kShortest) : 0, spending.bytes);
    half.last = spending.last;
    half.give_up = spending.give_up;
    half.looks = spending.looks;
    Spending& own = piece.is_piece ? half : spending;
    auto report = analyse_piece(std::move(piece), reading.left_out, options, own, progress, *suppressor,
                                reports.misused_locks, reading.settled());
    if (report) reports.add(std::move(*report));
    else if (reports.empty()) return report.error().file.empty() ? Error{report.error().message, name} : report.error();
    else reports.add_unknown();
  } while (!reading.is_over() && !reading.left_out.unread && reading.left_out.for_numbers == 0);
  report::Report report = std::move(reports).all(reading.overlap());
  report.trace = name;
  report::tell_apart_fingerprints(report);
  if (suppressor) suppress_the_rest(*suppressor, report);
  if (was_interrupted()) add_interruption(report);
  return report;
}

report::Report nothing_known(const std::string& name, const Options& options) {
  report::Report report;
  report.version = SOOTH_VERSION;
  report.trace = name;
  report.model = options.model.empty() ? "maximal" : options.model;
  report.looked_for = wanted_words(options);
  add_interruption(report);
  return report;
}

} // namespace sooth::analysis
