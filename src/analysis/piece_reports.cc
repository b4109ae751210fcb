#include "analysis/piece_reports.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace sooth::analysis {

namespace {

// Adds the lines of `other`, which is the same finding.
void add_lines(report::FindingText other, report::FindingText& known) {
  const auto is_observed = [](const report::FindingText& finding) {
    return finding.status == witness::Status::Observed;
  };
  if (is_observed(other) && !is_observed(known)) std::swap(other, known);
  known.count += other.count;
  known.suppressed_pairs = std::max(known.suppressed_pairs, other.suppressed_pairs);
  std::map<std::string, std::size_t> rows;
  for (std::size_t i = 0; i < known.pairs.size(); ++i) rows.try_emplace(known.pairs[i].identity, i);
  for (report::PairText& pair : other.pairs) {
    const auto [it, fresh] = rows.try_emplace(pair.identity, known.pairs.size());
    if (fresh) known.pairs.push_back(std::move(pair));
    else known.pairs[it->second].count += pair.count;
  }
}

// Only the last piece knows how the run ended.
bool is_of_the_end(const report::Gap& gap) { return gap.name == "runCutShort" || gap.name == "threadsWaiting"; }

// Counts about a piece add up. The other counts are about the recording, and equal in each piece.
bool adds_up(const report::Gap& gap) {
  constexpr std::string_view kOfPieces[] = {
      "undecided",           "furtherPairs", "externalReads", "untrustedSteps", "conservativeOrders",
      "unrealByFull",        "inputs",       "heldCalls",     "signals",        "benignRaces",
      "objectsKeptTogether", "brokenHolds",  "spuriousWakes", "externalWrites"};
  return std::ranges::find(kOfPieces, gap.name) != std::ranges::end(kOfPieces);
}

} // namespace

void PieceReports::add_findings(std::vector<report::FindingText> findings) {
  for (report::FindingText& finding : findings) {
    const auto [it, fresh] = known_.try_emplace(finding.identity, report_.findings.size());
    if (fresh) report_.findings.push_back(std::move(finding));
    else add_lines(std::move(finding), report_.findings[it->second]);
  }
}

void PieceReports::add(report::Report piece) {
  std::vector<report::FindingText> findings = std::exchange(piece.findings, {});
  if (pieces_++ == 0) {
    report_ = std::move(piece);
    return add_findings(std::move(findings));
  }
  report_.events = std::max(report_.events, piece.events);
  report_.analysed = std::max(report_.analysed, piece.analysed);
  report_.threads = std::max(report_.threads, piece.threads);
  for (const std::uint64_t child : piece.process.forked)
    if (std::ranges::find(report_.process.forked, child) == report_.process.forked.end())
      report_.process.forked.push_back(child);
  add_findings(std::move(findings));
  std::ranges::move(piece.candidates, std::back_inserter(report_.candidates));
  std::ranges::move(piece.objections, std::back_inserter(report_.objections));
  std::ranges::move(piece.steps, std::back_inserter(report_.steps));
  report_.rejected += piece.rejected;
  report_.suppressed += piece.suppressed;
  for (std::string& words : piece.coverage.unanswered)
    if (std::ranges::find(report_.coverage.unanswered, words) == report_.coverage.unanswered.end())
      report_.coverage.unanswered.push_back(std::move(words));
  report_.coverage.candidates += piece.coverage.candidates;
  report_.coverage.undecided += piece.coverage.undecided;
  report_.coverage.complete = report_.coverage.complete && piece.coverage.complete;
  add_gaps(std::move(piece.coverage.gaps));
}

void PieceReports::add_gaps(std::vector<report::Gap> gaps) {
  std::vector<report::Gap>& all = report_.coverage.gaps;
  std::erase_if(all, is_of_the_end);
  for (report::Gap& gap : gaps) {
    const auto same = std::ranges::find_if(
        all, [&](const report::Gap& other) { return other.name == gap.name && other.sentence == gap.sentence; });
    if (same == all.end()) all.push_back(std::move(gap));
    else if (adds_up(gap)) same->count += gap.count;
    else same->count = std::max(same->count, gap.count);
  }
}

report::Report PieceReports::all(std::uint64_t apart) && {
  for (std::size_t i = 0; i < report_.findings.size(); ++i) report_.findings[i].id = static_cast<std::uint32_t>(i + 1);
  std::ranges::sort(report_.steps, {}, &report::StepText::event);
  const auto [from, to] = std::ranges::unique(report_.steps, {}, &report::StepText::event);
  report_.steps.erase(from, to);
  report_.coverage.pieces = pieces_ + unknown_;
  if (report_.coverage.pieces > 1) {
    report_.coverage.complete = false;
    report_.coverage.gaps.insert(
        report_.coverage.gaps.begin(),
        {"pieces", report_.coverage.pieces,
         fmt::format("pieces of the trace were analysed one by one: what is more than {} events apart may have been "
                     "missed (--memory)",
                     apart),
         false});
  }
  if (unknown_ != 0) {
    report_.coverage.gaps.push_back(
        {"piecesLeftOut", unknown_, "pieces were not analysed: their beginnings could not be restored", false});
    report_.coverage.unanswered.emplace_back("parts of the trace");
  }
  return std::move(report_);
}

} // namespace sooth::analysis
