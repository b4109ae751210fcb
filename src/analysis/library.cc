// The public interface of include/sooth/analysis.h, over the pipeline that the commands use.
#include "sooth/analysis.h"

#include <exception>
#include <utility>

#include <fmt/format.h>

#include "analysis/pipeline.h"
#include "report/json.h"
#include "report/names.h"
#include "survey/sharing.h"

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
  return out;
}

FoundError found_error(const report::FindingText& finding) {
  FoundError out;
  out.kind = report::row_of(finding.kind).name;
  out.status = report::name_of(finding.status);
  out.fingerprint = finding.fingerprint;
  out.property = finding.property;
  out.note = finding.note;
  for (const report::PlaceText& place : finding.places) {
    const report::Spot& spot = place.step.spot;
    out.places.push_back(
        {place.step.kind, place.step.variable, spot.file, spot.line, spot.column, spot.function, place.step.thread});
  }
  return out;
}

Answer answer_of(const report::Report& report) {
  Answer out;
  for (const report::FindingText& finding : report.findings) out.findings.push_back(found_error(finding));
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
  analysis::LeftOut left_out;
  survey::Sharing sharing(!options.atomic.empty());
  auto trace = analysis::read_in_time(file, spending, left_out, options.properties.file.empty() ? &sharing : nullptr);
  if (!trace) return failed(trace.error().text());
  analysis::Progress silent;
  auto report = analysis::analyse(std::move(*trace), left_out, file, options, spending, silent);
  return report ? answer_of(*report) : failed(report.error().text());
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
