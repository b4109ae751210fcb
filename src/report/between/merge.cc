#include "report/between/merge.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "report/renumber.h"

namespace sooth::report {

namespace {

bool is_observed(const FindingText& finding) { return finding.status != witness::Status::Predicted; }

// Adds the lines of `other`, which is the same finding of another trace.
void add_lines(FindingText other, FindingText& known) {
  if (is_observed(other) && !is_observed(known)) std::swap(other, known);
  known.count += other.count;
  known.suppressed_pairs = std::max(known.suppressed_pairs, other.suppressed_pairs);
  known.also_in.push_back(other.trace);
  std::ranges::move(other.also_in, std::back_inserter(known.also_in));
  std::map<std::string, std::size_t> rows;
  for (std::size_t i = 0; i < known.pairs.size(); ++i) rows.try_emplace(known.pairs[i].fingerprint, i);
  for (PairText& pair : other.pairs) {
    const auto [it, fresh] = rows.try_emplace(pair.fingerprint, known.pairs.size());
    if (fresh) known.pairs.push_back(std::move(pair));
    else known.pairs[it->second].count += pair.count;
  }
}

// A suppression that one of the traces used is of use: only those that all of them name are left.
void keep_common(const std::string& other, std::string& words) {
  std::string out;
  std::size_t at = 0;
  while (at < words.size()) {
    const std::size_t end = std::min(words.find(", ", at), words.size());
    const std::string word = words.substr(at, end - at);
    if ((", " + other + ", ").find(", " + word + ", ") != std::string::npos) out += (out.empty() ? "" : ", ") + word;
    at = end + 2;
  }
  words = std::move(out);
}

} // namespace

std::optional<Error> MergedReports::add(Report report, bool of_child) {
  if (first_event_ + report.analysed > std::numeric_limits<std::uint32_t>::max())
    return Error{"together, the traces have more events than one report can number.", report.trace};
  shift_events(static_cast<std::uint32_t>(first_event_), report);
  const std::size_t number = report_.traces.size();
  TraceText text{report.trace, report.events, report.analysed, report.threads, first_event_, report.process, of_child};
  first_event_ += report.analysed;
  std::vector<FindingText> findings = std::exchange(report.findings, {});
  if (number == 0) report_ = std::move(report);
  else {
    report_.events += report.events;
    report_.analysed += report.analysed;
    report_.threads = std::max(report_.threads, report.threads);
    report_.partial = report_.partial || report.partial;
    report_.rejected += report.rejected;
    report_.suppressed += report.suppressed;
    std::ranges::move(report.candidates, std::back_inserter(report_.candidates));
    std::ranges::move(report.objections, std::back_inserter(report_.objections));
    std::ranges::move(report.steps, std::back_inserter(report_.steps)); // their numbers ascend
    add_coverage(std::move(report.coverage));
  }
  report_.traces.push_back(std::move(text));
  for (FindingText& finding : findings) {
    finding.trace = number;
    add_finding(std::move(finding));
  }
  return std::nullopt;
}

void MergedReports::add_finding(FindingText finding) {
  const auto [it, fresh] = known_.try_emplace(finding.fingerprint, report_.findings.size());
  if (fresh) report_.findings.push_back(std::move(finding));
  else add_lines(std::move(finding), report_.findings[it->second]);
}

void MergedReports::add_coverage(Coverage coverage) {
  Coverage& all = report_.coverage;
  all.complete = all.complete && coverage.complete;
  all.candidates += coverage.candidates;
  all.undecided += coverage.undecided;
  all.pieces += coverage.pieces;
  for (std::string& words : coverage.unanswered)
    if (std::ranges::find(all.unanswered, words) == all.unanswered.end()) all.unanswered.push_back(std::move(words));
  const auto same_in = [](std::vector<Gap>& gaps, const Gap& gap) {
    return std::ranges::find_if(
        gaps, [&](const Gap& other) { return other.name == gap.name && other.sentence == gap.sentence; });
  };
  std::erase_if(all.gaps, [&](Gap& gap) {
    if (gap.name != kUnusedSuppressions) return false;
    const auto other = same_in(coverage.gaps, gap);
    if (other == coverage.gaps.end()) return true;
    keep_common(other->detail, gap.detail);
    gap.count = gap.detail.empty() ? 0 : 1 + static_cast<std::uint64_t>(std::ranges::count(gap.detail, ','));
    return gap.count == 0;
  });
  for (Gap& gap : coverage.gaps) {
    if (gap.name == kUnusedSuppressions) continue;
    const auto same = same_in(all.gaps, gap);
    if (same == all.gaps.end()) all.gaps.push_back(std::move(gap));
    else same->count += gap.count;
  }
}

void MergedReports::miss(const std::string& trace, const std::string& why) {
  report_.coverage.complete = false;
  missed_.push_back(fmt::format("{} ({})", trace, why));
}

Report MergedReports::all() && {
  std::vector<FindingText> sorted; // observed ones first, otherwise as they came
  for (const bool observed : {true, false})
    for (FindingText& finding : report_.findings)
      if (is_observed(finding) == observed) sorted.push_back(std::move(finding));
  report_.findings = std::move(sorted);
  std::uint32_t id = 0;
  const bool has_children = std::ranges::any_of(report_.traces, &TraceText::child);
  for (FindingText& finding : report_.findings) {
    finding.id = ++id;
    std::ranges::sort(finding.also_in);
    const auto doubles = std::ranges::unique(finding.also_in);
    finding.also_in.erase(doubles.begin(), doubles.end());
    std::erase(finding.also_in, finding.trace);
    finding.note +=
        fmt::format("{}Found in {} of {} traces{}.", finding.note.empty() ? "" : " ", finding.also_in.size() + 1,
                    report_.traces.size(), has_children ? ": " + report_.traces[finding.trace].file : "");
  }
  report_.processes_left_out = std::move(left_out_);
  report_.trace = fmt::format("{} traces", report_.traces.size() + missed_.size());
  if (!missed_.empty()) report_.coverage.complete = false;
  for (std::string& trace : missed_) report_.coverage.unanswered.push_back("the trace " + std::move(trace));
  return std::move(report_);
}

} // namespace sooth::report
