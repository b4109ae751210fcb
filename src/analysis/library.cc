// The public interface of include/sooth/analysis.h, over the pipeline that the commands use.
#include "sooth/analysis.h"

#include <exception>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/pipeline.h"
#include "report/between/processes.h"
#include "report/json.h"
#include "report/names.h"

namespace sooth {

namespace {

analysis::Options options_of(const Request& request) {
  analysis::Options out;
  out.find = request.find;
  out.model = request.model;
  out.properties.file = request.property;
  out.properties.model = request.model;
  out.atomic = request.atomic;
  out.suppressions = request.suppressions;
  out.limits.seconds = request.seconds;
  out.limits.jobs = request.jobs;
  out.memory = request.memory;
  out.each = request.each;
  out.whole_witness = request.whole_witness;
  return out;
}

FoundPlace found_place(const report::StepText& step) {
  return {step.kind, step.variable, step.spot.file, step.spot.line, step.spot.column, step.spot.function, step.thread};
}

FoundError found_error(const report::Report& report, const report::FindingText& finding) {
  FoundError out;
  out.kind = report::row_of(finding.kind).name;
  out.status = report::name_of(finding.status);
  out.fingerprint = finding.fingerprint;
  out.property = finding.property;
  out.note = finding.note;
  for (const report::PlaceText& place : finding.places) out.places.push_back(found_place(place.step));
  for (const report::PairText& pair : finding.pairs) {
    FoundPair& lines = out.pairs.emplace_back();
    lines.status = report::name_of(pair.status);
    lines.fingerprint = pair.fingerprint;
    lines.count = pair.count;
    for (const witness::Place& place : pair.places) lines.places.push_back(found_place(step_of(report, place.event)));
  }
  return out;
}

Answer answer_of(const report::Report& report) {
  Answer out;
  for (const report::FindingText& finding : report.findings) out.findings.push_back(found_error(report, finding));
  out.events = report.events;
  out.complete = report.coverage.complete;
  out.unanswered = report.coverage.unanswered;
  for (const report::Gap& gap : report.coverage.gaps)
    out.limits.push_back(fmt::format("{} {}{}", gap.count, gap.sentence, gap.detail.empty() ? "" : ": " + gap.detail));
  out.json = report::json(report);
  return out;
}

Answer failed(std::string sentence) {
  Answer out;
  out.error = std::move(sentence);
  return out;
}

Answer analyse_with(const std::string& file, const analysis::Options& options) {
  if (std::string wrong = analysis::check(options); !wrong.empty()) return failed(std::move(wrong));
  analysis::Spending spending(options.limits.seconds, analysis::memory_limit(options));
  analysis::Progress silent;
  std::vector<std::string> notes;
  auto report = analysis::analyse(file, file, options, spending, silent, notes);
  if (!report) return failed(report.error().text());
  report::tell_processes(*report);
  return answer_of(*report);
}

} // namespace

Answer analyse(const std::string& trace, const Request& request) {
  try {
    return analyse_with(trace, options_of(request));
  } catch (const std::exception& error) {
    return failed(fmt::format("unexpected error: {}", error.what()));
  }
}

} // namespace sooth
