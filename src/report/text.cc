#include "report/text.h"

#include <algorithm>
#include <map>
#include <span>

#include <fmt/format.h>

#include "report/names.h"
#include "report/phrases.h"
#include "report/run_table.h"
#include "report/schedule.h"
#include "report/source_lines.h"

namespace sooth::report {

using witness::FindingKind;
using witness::Status;

namespace {

constexpr std::size_t kFramesShown = 16;
constexpr std::size_t kPairsShown = 16;

// "pairs of lines", or "combinations of lines" if they are not two
std::string_view lines_word(const FindingText& finding) {
  const auto lines = std::ranges::count_if(
      finding.pairs.front().places, [](const witness::Place& place) { return place.role != witness::Role::Hold; });
  return lines == 2 ? "pairs of lines" : "combinations of lines";
}

// Monitors, patterns and machines have one kind; the report uses the entry's word in the property
// file.
bool told_by_entry(const FindingText& finding) {
  return finding.kind == FindingKind::Monitor && !finding.run.entry.empty();
}

class TextWriter {
public:
  TextWriter(const Report& report, const TextOptions& options)
      : report_(report), options_(options), sources_(report.directory) {}

  std::string write() {
    for (const FindingText& finding : report_.findings) write_finding(finding);
    return std::move(out_);
  }

private:
  template <typename... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    out_ += fmt::vformat(format, fmt::make_format_args(args...)); // format_to would instantiate much more code
  }
  std::string bold(const std::string& text) const { return options_.color ? "\033[1m" + text + "\033[0m" : text; }
  std::string red(const std::string& text) const { return options_.color ? "\033[1;31m" + text + "\033[0m" : text; }

  void write_finding(const FindingText& finding) {
    print("==================\n");
    print("sooth: {}\n", red(headline(finding)));
    if (!finding.note.empty()) print("  {}\n", finding.note);
    out_ += finding.run.rule.empty() ? doubt_text(finding) : run_table(finding, options_.color);
    for (const PlaceText& place : finding.places) write_place(finding, place);
    write_pairs(finding);
    write_objects(finding);
    for (const ThreadText& thread : finding.threads) write_thread(finding, thread);
    write_orders(finding);
    write_decision(finding);
  }

  std::string headline(const FindingText& finding) const {
    const bool by_entry = told_by_entry(finding);
    std::string out =
        fmt::format("{} {}", name_of(finding.status),
                    by_entry ? "violation of " + finding.run.entry : std::string(row_of(finding.kind).headline));
    if (!finding.property.empty()) return out + fmt::format(" `{}`", finding.property);
    const bool cycle = finding.kind == FindingKind::Deadlock;
    if (finding.places.empty()) return out;
    if (!cycle) {
      const std::string& variable = finding.places.front().step.variable;
      return variable.empty()
                 ? out
                 : out + fmt::format(" {} `{}`", finding.kind == FindingKind::Race ? "on" : "of", variable);
    }
    std::vector<std::string> asked;
    for (const PlaceText& place : finding.places)
      if (place.role == witness::Role::Request) asked.push_back("`" + what_is_asked(place) + "`");
    return out + fmt::format(" over {}", fmt::join(asked, ", "));
  }
  static std::string what_is_asked(const PlaceText& place) {
    return place.step.kind == "join" ? place.step.value : place.step.variable;
  }

  void write_place(const FindingText& finding, const PlaceText& place) {
    if (place.role == witness::Role::Hold) return; // the request beside it names the held lock
    print("\n  {}\n", bold(fmt::format("{} {}{}", thread_phrase(finding, place.step.thread), place_phrase(place),
                                       at(place.step.spot))));
    write_source(place.step.spot);
    write_stack(place.stack);
    if (place.step.pending) print("    waits since event {} of {}\n", place.since, report_.events);
    if (!place.step.access && place.locks.empty()) return;
    if (place.locks.empty()) print("    holds no lock\n");
    for (const HeldLock& lock : place.locks)
      print("    holds {}`{}`, taken{}\n", lock.shared ? "(shared) " : "", lock.name, at(lock.taken));
  }

  static std::string at(const Spot& spot) {
    const std::string phrase = spot_phrase(spot);
    if (phrase.empty()) return " at an unknown place";
    return (spot.file.empty() ? " " : " at ") + phrase;
  }

  void write_source(const Spot& spot) {
    if (const auto line = sources_.line(spot.file, spot.line)) print("    {:>5} | {}\n", spot.line, *line);
  }

  // Hides calls inside system headers, but counts them.
  void write_stack(const std::vector<Spot>& stack) {
    std::size_t number = 0, shown = 0, hidden = 0;
    const bool all_system = std::all_of(stack.begin(), stack.end(), [](const Spot& spot) { return spot.system; });
    for (const Spot& spot : stack) {
      const std::size_t own = number++;
      if (spot.system && !all_system) {
        ++hidden;
        continue;
      }
      if (shown++ == kFramesShown) {
        print("    ... {} more\n", stack.size() - own);
        break;
      }
      const std::string place = spot.file.empty() ? "" : fmt::format(" {}:{}", spot.file, spot.line);
      print("    #{} {}{}\n", own, spot.function.empty() ? "?" : spot.function, place);
    }
    if (hidden != 0) print("    ({} more in system headers)\n", hidden);
  }

  // The lines of the same variable and functions; a pair with several findings is shown once.
  void write_pairs(const FindingText& finding) {
    if (finding.pairs.size() < 2) return;
    print("\n  {} {} of the same {} and functions\n", finding.pairs.size(), lines_word(finding),
          finding.kind == FindingKind::Deadlock ? "locks" : "variable");
    for (std::size_t i = 0; i < std::min(kPairsShown, finding.pairs.size()); ++i) {
      const PairText& pair = finding.pairs[i];
      std::vector<std::string> places;
      for (const witness::Place& place : pair.places) {
        if (place.role == witness::Role::Hold) continue;
        const StepText& step = step_of(report_, place.event);
        places.push_back(fmt::format("{}{}", step.kind, at(step.spot)));
      }
      print("    {}{}{}\n", fmt::join(places, ", "), pair.count > 1 ? fmt::format(" ({} times)", pair.count) : "",
            pair.status == finding.status ? "" : fmt::format(" ({})", name_of(pair.status)));
    }
    if (finding.pairs.size() > kPairsShown)
      print("    ... and {} more (--json has all of them, --each makes a finding of each)\n",
            finding.pairs.size() - kPairsShown);
  }

  void write_objects(const FindingText& finding) {
    std::vector<std::string> told;
    for (const PlaceText& place : finding.places) {
      const std::string phrase = object_phrase(place.object, place.step.variable);
      if (phrase.empty() || std::find(told.begin(), told.end(), phrase) != told.end()) continue;
      if (told.empty()) print("\n");
      print("  {} (address {:#x})\n", phrase, place.object.address);
      told.push_back(phrase);
    }
  }

  // A long run may have many threads; the creation of each would bury the rest.
  static bool has_place(const FindingText& finding, std::uint32_t thread) {
    return finding.run.rule.empty() ||
           std::ranges::any_of(finding.places, [&](const PlaceText& place) { return place.step.thread == thread; });
  }

  void write_thread(const FindingText& finding, const ThreadText& thread) {
    if (!thread.created || !has_place(finding, thread.number)) return;
    print("\n  {} was created by {}\n", thread_phrase(finding, thread.number), thread_phrase(finding, thread.parent));
    write_stack(thread.stack);
  }

  void write_orders(const FindingText& finding) {
    if (!finding.run.rule.empty()) return; // both are in the table of the run
    const Schedule observed =
        schedule_of(finding.observed, {}, [&](std::uint32_t event) { return schedule_step(step_of(report_, event)); });
    if (!observed.listed.empty()) {
      print("\n  observed order\n");
      write_schedule(finding, observed.listed, observed.turns, false);
    }
    if (finding.status == Status::Observed && finding.schedule.empty()) return;
    print("\n  {} order\n", name_of(finding.status));
    if (finding.observed_prefix != 0) print("    as recorded          the first {} events\n", finding.observed_prefix);
    write_schedule(finding, finding.schedule, finding.turns, true);
    for (const std::uint32_t event : finding.next) {
      const StepText& step = step_of(report_, event);
      print("    {:<20} {}{}\n", "next: " + thread_phrase(finding, step.thread), next_phrase(step), at(step.spot));
    }
  }

  // The event has not happened, so a value would be a guess.
  static std::string next_phrase(StepText step) {
    if (step.kind == "acquire") return "asks for " + step.variable;
    if (step.kind == "acquire-shared") return "asks, shared, for " + step.variable;
    step.value = step.kind == "fork" || step.kind == "join" ? step.value : "";
    return step_phrase(step);
  }

  static ScheduleStep schedule_step(const StepText& step) {
    return {step.thread, step.address, step.access, step.synchronises};
  }

  void write_schedule(const FindingText& finding, std::span<const std::uint32_t> listed, std::span<const Turn> turns,
                      bool count) {
    std::size_t first = 0;
    for (const Turn& turn : turns) {
      if (turn.skipped != 0) print("    ... {} more turns\n", turn.skipped);
      const std::string more = turn.more != 0 ? fmt::format("... {} more; ", turn.more) : "";
      const std::string events = count ? fmt::format("({} event{})", turn.events, turn.events == 1 ? "" : "s") : "";
      const std::string key = fmt::format("{}{}", more, fmt::join(phrases(listed.subspan(first, turn.listed)), "; "));
      first += turn.listed;
      print("    {:<20} {}{}{}\n", thread_phrase(finding, turn.thread), key, key.empty() || events.empty() ? "" : "  ",
            events);
    }
  }
  // Shows a repeated step, such as a loop that waits, once.
  std::vector<std::string> phrases(std::span<const std::uint32_t> events) const {
    std::vector<std::string> out;
    for (const std::uint32_t event : events) {
      std::string phrase = step_phrase(step_of(report_, event));
      if (out.empty() || out.back() != phrase) out.push_back(std::move(phrase));
    }
    return out;
  }

  void write_decision(const FindingText& finding) {
    print("\n  decided by {} ({} model)", finding.engine, name_of(finding.model));
    if (finding.count > 1)
      print("; {} times at these {}", finding.count, finding.pairs.size() > 1 ? "lines" : "places");
    if (finding.suppressed_pairs != 0 && !finding.pairs.empty())
      print("; {} more {} suppressed", finding.suppressed_pairs, lines_word(finding));
    print("; fingerprint {}\n", finding.fingerprint);
    write_replay(finding);
    print("\n");
  }

  std::string replay_command(std::uint32_t id) const {
    std::string out = options_.replay;
    if (const std::size_t at = out.find("{}"); at != std::string::npos) out.replace(at, 2, std::to_string(id));
    return out;
  }
  void write_replay(const FindingText& finding) {
    if (!finding.replayed.empty()) print("\n  replayed\n");
    for (const std::string& line : finding.replayed) print("    {}\n", line);
    if (!finding.diverged.empty()) print("\n  a replay diverged: {}\n", finding.diverged);
    else if (finding.status == Status::Predicted && !options_.replay.empty())
      print("  to see it happen: {}\n", replay_command(finding.id));
  }

  const Report& report_;
  const TextOptions& options_;
  SourceLines sources_;
  std::string out_;
};

void shorten(Spot& spot, const std::string& folder) {
  if (spot.file.starts_with(folder)) spot.file.erase(0, folder.size());
}
void shorten(std::vector<Spot>& spots, const std::string& folder) {
  for (Spot& spot : spots) shorten(spot, folder);
}
void shorten(Report& report, const std::string& folder) {
  for (StepText& step : report.steps) shorten(step.spot, folder);
  for (FindingText& candidate : report.candidates)
    for (PlaceText& place : candidate.places) shorten(place.step.spot, folder);
  for (FindingText& finding : report.findings) {
    for (PlaceText& place : finding.places) {
      shorten(place.step.spot, folder);
      shorten(place.stack, folder);
      shorten(place.object.spot, folder);
      shorten(place.object.stack, folder);
      for (HeldLock& lock : place.locks) shorten(lock.taken, folder);
    }
    for (ThreadText& thread : finding.threads) shorten(thread.stack, folder);
    for (RunStepText& step : finding.run.steps) shorten(step.spot, folder);
    for (RunStepText& step : finding.run.unordered) shorten(step.spot, folder);
    if (finding.run.place.starts_with(folder)) finding.run.place.erase(0, folder.size());
  }
}

// One line for each candidate; JSON has the details.
std::string candidates_text(const Report& report) {
  constexpr std::size_t kShown = 100;
  if (report.candidates.empty()) return {};
  std::string out = "Candidates. Nothing proves them: they are no findings.\n";
  for (std::size_t i = 0; i < std::min(kShown, report.candidates.size()); ++i) {
    const FindingText& candidate = report.candidates[i];
    std::vector<std::string> places;
    places.reserve(candidate.places.size());
    for (const PlaceText& place : candidate.places)
      places.push_back(fmt::format("{} {} at {}:{}", place.step.kind, place.step.variable, place.step.spot.file,
                                   place.step.spot.line));
    out += fmt::format("  {}: {}: {}\n", row_of(candidate.kind).name, fmt::join(places, ", "), candidate.note);
  }
  if (report.candidates.size() > kShown)
    out += fmt::format("  ... and {} more (--json has all of them)\n", report.candidates.size() - kShown);
  return out + "\n";
}

std::string kinds_text(const Report& report) {
  std::map<std::string_view, std::uint64_t> kinds;
  for (const FindingText& finding : report.findings)
    ++kinds[told_by_entry(finding) ? std::string_view(finding.run.entry) : row_of(finding.kind).name];
  std::string out;
  for (const auto& [name, count] : kinds) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, name);
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

} // namespace

std::string summary(const Report& report) {
  std::string out = report.partial ? "sooth: interrupted: " : "sooth: ";
  const std::size_t found = report.findings.size();
  if (found == 0 && !report.coverage.unanswered.empty())
    out += fmt::format("no answer about {}; nothing found otherwise", fmt::join(report.coverage.unanswered, ", "));
  else if (found == 0) out += "nothing found";
  else
    out += fmt::format("{} finding{}{} ({}){}", found, found == 1 ? "" : "s", report.partial ? " so far" : "",
                       kinds_text(report), pairs_text(report));
  out += fmt::format("; {} event{} of {} thread{}, {} model", report.events, report.events == 1 ? "" : "s",
                     report.threads, report.threads == 1 ? "" : "s", report.model);
  if (report.suppressed != 0) out += fmt::format("; {} suppressed", report.suppressed);
  out += report.coverage.complete ? "; complete for this run\n" : "; bounded:\n";
  for (const Gap& gap : report.coverage.gaps)
    out += fmt::format("  {:<7} {:>8} {}{}\n", gap.complete ? "note" : "bounded", gap.count, gap.sentence,
                       gap.detail.empty() ? "" : ": " + gap.detail);
  if (report.rejected != 0)
    out += fmt::format("  {:<7} {:>8} findings were withheld, because their witness did not pass the check. This is a "
                       "mistake in Sooth.\n",
                       "error", report.rejected);
  return out;
}

std::string text(const Report& report, const TextOptions& options) {
  if (options.here.empty()) return TextWriter(report, options).write() + candidates_text(report) + summary(report);
  Report nearer = report;
  shorten(nearer, options.here.ends_with('/') ? options.here : options.here + "/");
  return TextWriter(nearer, options).write() + candidates_text(nearer) + summary(report);
}

} // namespace sooth::report
