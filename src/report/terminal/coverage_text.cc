#include "report/terminal/coverage_text.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "report/names.h"
#include "report/terminal/table.h"

namespace sooth::report {

using witness::FindingKind;

namespace {

constexpr std::size_t kReasonsShown = 2;
constexpr std::size_t kKindsShown = 3; // without an answer

std::string plural(std::string_view name) {
  if (name == "property") return "properties";
  if (name == "crash") return "crashes";
  const bool countable = name != "atomicity" && name != "misuse" && name != "use-after-free" &&
                         name != "possible-liveness" && name != "signal-unsafe" && name != "signal-errno";
  return std::string(name) + (countable ? "s" : "");
}

std::string kinds_text(const Report& report) {
  std::map<std::string_view, std::uint64_t> kinds;
  for (const FindingText& finding : report.findings)
    ++kinds[told_by_entry(finding) ? std::string_view(finding.run.entry) : row_of(finding.kind).name];
  std::string out;
  for (const auto& [name, count] : kinds)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, count == 1 ? std::string(name) : plural(name));
  return out;
}

// ", 9361 pairs of lines": only where some finding has several.
std::string pairs_text(const Report& report) {
  std::size_t all = 0;
  bool several = false, two_each = true;
  for (const FindingText& finding : report.findings) {
    all += std::max<std::size_t>(1, finding.pairs.size());
    several = several || finding.pairs.size() > 1;
    two_each = two_each && !finding.pairs.empty() && lines_word(finding).starts_with("pairs");
  }
  return several ? fmt::format(", {} {} of lines", all, two_each ? "pairs" : "combinations") : std::string();
}

// Reasons that Sooth itself causes and cannot help, in words for people. Their numbers say nothing
// to a user; --verbose has them.
struct Shorter {
  std::string_view name;
  std::string_view words;
};
constexpr std::array kShorter = {
    Shorter{"inputs", "input may depend on what the program did before it (files, pipes, sockets)"},
    Shorter{"signals", "signals came, and a handler ran"},
    Shorter{"heldCalls", "what failed tries and repeated initialisations depend on keeps its order"},
    Shorter{"externalReads", "code that Sooth does not see changed memory (build it with Sooth, too)"},
    Shorter{"untrustedSteps", "some steps rest on what Sooth does not see"},
    Shorter{"conservativeOrders", "some wake-ups, semaphores or barriers keep their recorded order"},
    Shorter{"objectsKeptTogether", "some objects at reused addresses could not be told apart"},
};

std::string undecided_text(const Report& report, const Gap& gap) {
  const Coverage& coverage = report.coverage;
  std::string out = coverage.candidates > gap.count
                        ? fmt::format("{} of {} candidates undecided", gap.count, coverage.candidates)
                        : fmt::format("{} candidate{} undecided", gap.count, gap.count == 1 ? "" : "s");
  const std::size_t colon = gap.sentence.find(": ");
  const std::string reason = colon == std::string::npos ? "" : gap.sentence.substr(colon + 2);
  if (reason.find("--budget") != std::string::npos)
    return out + fmt::format(": more time would decide them (--budget {})", std::max(300.0, 5 * coverage.budget));
  if (reason.find("window") != std::string::npos) return out + ": a larger window might decide them (--window 100000)";
  return reason.empty() ? out : out + ": " + reason;
}

std::string reason_text(const Report& report, const Gap& gap) {
  if (gap.name == "undecided") return undecided_text(report, gap);
  if (gap.name == "runCutShort") return "the run was not over: it " + gap.detail;
  if (gap.name == "traceNotRead")
    return fmt::format("the trace was read in part ({}): more time (--budget) or memory (--memory) is needed",
                       gap.detail);
  for (const Shorter& shorter : kShorter)
    if (shorter.name == gap.name) return std::string(shorter.words);
  if (gap.sentence.starts_with("bound: ")) return gap.sentence.substr(7);
  return fmt::format("{} {}{}", gap.count, gap.sentence, gap.detail.empty() ? "" : ": " + gap.detail);
}

bool is_only_for_verbose(const Gap& gap) {
  return std::ranges::any_of(kShorter, [&](const Shorter& shorter) { return shorter.name == gap.name; });
}

// The reasons that a user can change come first.
std::string not_complete(const Report& report) {
  std::vector<std::string> reasons;
  for (const bool general : {false, true})
    for (const Gap& gap : report.coverage.gaps)
      if (!gap.complete && is_only_for_verbose(gap) == general) reasons.push_back(reason_text(report, gap));
  std::string out = "; not complete";
  for (std::size_t i = 0; i < std::min(kReasonsShown, reasons.size()); ++i) out += (i == 0 ? ": " : "; ") + reasons[i];
  if (reasons.size() > kReasonsShown)
    out += fmt::format("; {} more reason{} (--verbose)", reasons.size() - kReasonsShown,
                       reasons.size() == kReasonsShown + 1 ? "" : "s");
  return out;
}

// Those of the detail, separated by "; ".
std::vector<std::string_view> sentences(const Gap& gap) {
  std::vector<std::string_view> out;
  for (std::string_view rest = gap.detail; !rest.empty();) {
    const std::size_t end = std::min(rest.find("; "), rest.size());
    out.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  return out;
}
// "; 2 blocks look as if they should be atomic". In the headline, so that nobody takes "nothing
// found" for more than it says. Those that are not shown: --candidates.
std::string unmarked_text(const Report& report) {
  for (const Gap& gap : report.coverage.gaps)
    if (gap.name == kUnmarkedBlocks)
      return fmt::format("; {} block{} as if {} should be atomic{}", gap.count, gap.count == 1 ? " looks" : "s look",
                         gap.count == 1 ? "it" : "they",
                         report.candidates.empty() && sentences(gap).size() < gap.count ? ": --candidates" : "");
  return {};
}

// "; nobody waited for 1 condition that was signalled: ..."
std::string unmet_text(const Report& report) {
  for (const Gap& gap : report.coverage.gaps)
    if (gap.name == kUnmetSignals)
      return fmt::format("; nobody waited for {} condition{} signalled: a lost wake-up would not show in this run",
                         gap.count, gap.count == 1 ? " that was" : "s that were");
  return {};
}
// "; no thread waited at queue.cpp:12 in take: ..."
std::string unmade_text(const Report& report) {
  for (const Gap& gap : report.coverage.gaps)
    if (gap.name == kUnmadeWaits)
      return fmt::format("; no thread waited at {}: a wait that nobody ends would not show in this run", gap.detail);
  return {};
}
bool is_in_headline(const Gap& gap) {
  return gap.name == kUnmarkedBlocks || gap.name == kUnmetSignals || gap.name == kUnmadeWaits;
}

// What has no answer; of more kinds than a line has room for, the first ones.
std::string unanswered_text(const Report& report, bool verbose) {
  const std::vector<std::string>& kinds = report.coverage.unanswered;
  if (verbose || kinds.size() <= kKindsShown + 1) return fmt::format("{}", fmt::join(kinds, ", "));
  return fmt::format("{} and {} more kinds of errors (--verbose)",
                     fmt::join(kinds.begin(), kinds.begin() + kKindsShown, ", "), kinds.size() - kKindsShown);
}

// Notes about the recording that no user can change; --verbose has them, and the last line counts
// them.
bool is_technical(const Gap& gap) {
  constexpr std::string_view kNames[] = {"openThreads",    "opaqueRanges", "spuriousWakes", "brokenHolds",
                                         "externalWrites", "benignRaces",  "furtherPairs",  kUnmarkedBlocks,
                                         kUnmetSignals,    kUnmadeWaits};
  return gap.complete && std::ranges::find(kNames, gap.name) != std::ranges::end(kNames);
}

std::string hidden_notes(const Report& report) {
  const auto notes = std::ranges::count_if(report.coverage.gaps,
                                           [](const Gap& gap) { return is_technical(gap) && !is_in_headline(gap); });
  return notes == 0 ? std::string() : fmt::format(" ({} note{}: --verbose)", notes, notes == 1 ? "" : "s");
}

std::string gap_lines(const Report& report, bool verbose) {
  std::string out;
  for (const Gap& gap : report.coverage.gaps)
    if (verbose || (gap.complete && !is_technical(gap)))
      out += fmt::format("  {:<7} {:>8} {}{}\n", gap.complete ? "note" : "bounded", gap.count, gap.sentence,
                         gap.detail.empty() ? "" : ": " + gap.detail);
  if (report.rejected != 0)
    out += fmt::format("  {:<7} {:>8} findings were withheld, because their witness did not pass the check. This is a "
                       "mistake in Sooth.\n",
                       "error", report.rejected);
  return out;
}

} // namespace

std::string_view lines_word(const FindingText& finding) {
  const auto lines = std::ranges::count_if(
      finding.pairs.front().places, [](const witness::Place& place) { return place.role != witness::Role::Hold; });
  return lines == 2 ? "pairs of lines" : "combinations of lines";
}

bool told_by_entry(const FindingText& finding) {
  return finding.kind == FindingKind::Monitor && !finding.run.entry.empty();
}

std::string suggestions_text(const Report& report, std::size_t columns) {
  std::string out;
  for (const Gap& gap : report.coverage.gaps)
    if (gap.name == kUnmarkedBlocks)
      for (const std::string_view sentence : sentences(gap))
        for (const std::string& line : wrapped(sentence, columns - std::min<std::size_t>(columns, 2), 2))
          out += "  " + line + "\n";
  return out.empty() ? out : "Worth a look, though nothing proves it wrong:\n" + out + "\n";
}

std::string summary(const Report& report, bool verbose) {
  std::string out = report.partial ? "sooth: interrupted: " : "sooth: ";
  const std::size_t found = report.findings.size();
  if (found == 0 && !report.coverage.unanswered.empty())
    out += fmt::format("no answer about {}; nothing found otherwise", unanswered_text(report, verbose));
  else if (found == 0) out += "nothing found";
  else
    out += fmt::format("{} finding{}{} ({}){}", found, found == 1 ? "" : "s", report.partial ? " so far" : "",
                       kinds_text(report), pairs_text(report));
  out += fmt::format("; {} event{} of {} thread{}, {} model", report.events, report.events == 1 ? "" : "s",
                     report.threads, report.threads == 1 ? "" : "s", report.model);
  if (report.suppressed != 0) out += fmt::format("; {} suppressed", report.suppressed);
  out += report.coverage.complete ? "; complete for this run" : not_complete(report);
  const std::string unmet = unmet_text(report);
  out += unmarked_text(report) + (unmet.empty() ? unmade_text(report) : unmet);
  if (!verbose) out += hidden_notes(report);
  return out + "\n" + gap_lines(report, verbose);
}

} // namespace sooth::report
