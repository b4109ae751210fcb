#include "report/text.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "report/between/processes.h"
#include "report/headline.h"
#include "report/names.h"
#include "report/phrases.h"
#include "report/run_table.h"
#include "report/source_lines.h"
#include "report/terminal/advice.h"
#include "report/terminal/printable.h"
#include "report/terminal/table.h"
#include "report/terminal/texts.h"
#include "report/terminal/two_orders.h"
#include "report/terminal/type_names.h"

namespace sooth::report {

using witness::FindingKind;
using witness::Status;

namespace {

constexpr std::size_t kFramesShown = 16;
constexpr std::size_t kPairsShown = 16;

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

  bool is_verbose() const { return options_.detail == Detail::Verbose; }
  bool is_quiet() const { return options_.detail == Detail::Quiet; }

  void write_finding(const FindingText& finding) {
    if (is_quiet()) return write_briefly(finding);
    print("==================\n");
    print("sooth: {}\n", red(headline(finding)));
    write_paragraph("", finding.note);
    write_paragraph("", reason_for(finding));
    out_ += finding.run.rule.empty() ? doubt_text(finding) : run_table(finding, options_.color);
    for (const PlaceText& place : finding.places) write_place(finding, place);
    write_pairs(finding);
    write_objects(finding);
    for (const ThreadText& thread : finding.threads) write_thread(finding, thread);
    write_orders(finding);
    if (const std::string advice = advice_for(report_, finding); !advice.empty()) {
      print("\n");
      write_paragraph("what to do: ", advice);
    }
    write_decision(finding);
  }

  // "sooth: predicted data race on `x` at bank.cpp:19, bank.cpp:13"
  void write_briefly(const FindingText& finding) {
    std::vector<std::string> places;
    for (const PlaceText& place : finding.places)
      if (place.role != witness::Role::Hold && place.step.spot.line != 0)
        places.push_back(fmt::format("{}:{}", place.step.spot.file, place.step.spot.line));
    print("sooth: {}{}{}\n", red(headline(finding)), places.empty() ? "" : " at ", fmt::join(places, ", "));
  }

  void write_paragraph(const std::string& title, const std::string& sentence) {
    if (sentence.empty()) return;
    for (const std::string& line : wrapped(title + sentence, options_.width - 2, title.size())) print("  {}\n", line);
  }
  // Below a place.
  void write_detail(const std::string& text, std::size_t indent) {
    for (const std::string& line : wrapped(text, options_.width - 4, indent)) print("    {}\n", line);
  }

  void write_place(const FindingText& finding, const PlaceText& place) {
    if (place.role == witness::Role::Hold) return; // the request beside it names the held lock
    const std::string headed =
        fmt::format("{} {}{}", thread_phrase(finding, place.step.thread), place_phrase(place), at(place.step.spot));
    print("\n");
    for (const std::string& line : wrapped(headed, options_.width - 2, 2)) print("  {}\n", bold(line));
    write_source(place.step.spot);
    write_frames(frames_of(place.stack), 0);
    if (place.step.pending) print("    waits since event {} of {}\n", place.since, report_.events);
    if (!place.step.access && place.locks.empty()) return;
    if (place.locks.empty()) print("    holds no lock\n");
    for (const HeldLock& lock : place.locks)
      write_detail(fmt::format("holds {}`{}`, taken{}", lock.shared ? "(shared) " : "", lock.name, at(lock.taken)), 2);
  }

  static std::string at(const Spot& spot) {
    const std::string phrase = spot_phrase(spot);
    if (phrase.empty()) return " at an unknown place";
    return (spot.file.empty() ? " " : " at ") + phrase;
  }

  // The line, those around it, and a caret below the column. Of long lines the part around the
  // caret.
  void write_source(const Spot& spot) {
    constexpr std::size_t kMargin = 12; // "    12345 | "
    const auto own = sources_.line(spot.file, spot.line);
    if (!own) return;
    const std::size_t room = options_.width - std::min(options_.width - 1, kMargin);
    const std::size_t caret = spot.column != 0 ? sources_.place_of(spot.file, spot.line, spot.column) : 0;
    const std::size_t left_out = caret + 3 < room ? 0 : caret - room / 2;
    const auto write = [&](std::uint32_t number, const std::string& text) {
      if (!text.empty()) print("    {:>5} | {}\n", number, cut_to(cut_before(text, left_out), room));
      shown_.emplace(spot.file, number);
    };
    write(spot.line - 1, sources_.line(spot.file, spot.line - 1).value_or(""));
    write(spot.line, *own);
    if (spot.column != 0 && caret < width(*own))
      print("          | {}{}\n", std::string(caret - left_out, ' '), red("^"));
    write(spot.line + 1, sources_.line(spot.file, spot.line + 1).value_or(""));
  }

  // Without the library's own functions, unless there is nothing else.
  std::vector<Spot> frames_of(const std::vector<Spot>& stack) const {
    std::vector<Spot> out;
    const bool all_system = std::ranges::all_of(stack, [](const Spot& spot) { return spot.system; });
    for (const Spot& spot : stack)
      if (is_verbose() || !spot.system || all_system) out.push_back(spot);
    return out;
  }
  void write_frames(std::span<const Spot> frames, std::size_t first) {
    for (std::size_t i = first; i < frames.size(); ++i) {
      if (i == first + kFramesShown && !is_verbose()) {
        print("    ... {} more\n", frames.size() - i);
        break;
      }
      const Spot& spot = frames[i];
      const std::string place = spot.file.empty() ? "" : fmt::format(" {}:{}", spot.file, spot.line);
      write_detail(fmt::format("#{} {}{}", i, spot.function.empty() ? "?" : spot.function, place), 3);
    }
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
      write_detail(fmt::format("{}{}{}", fmt::join(places, ", "),
                               pair.count > 1 ? fmt::format(" ({} times)", pair.count) : "",
                               pair.status == finding.status ? "" : fmt::format(" ({})", name_of(pair.status))),
                   2);
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
      write_paragraph("", is_verbose() ? fmt::format("{} (address {:#x})", phrase, place.object.address) : phrase);
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
    const std::vector<Spot> frames = frames_of(thread.stack);
    const std::string where = frames.empty() ? "" : at(frames.front());
    print("\n");
    write_paragraph("", fmt::format("{} was created by {}{}", thread_phrase(finding, thread.number),
                                    thread_phrase(finding, thread.parent), where));
    write_frames(frames, 1);
  }

  void write_orders(const FindingText& finding) {
    if (!finding.run.rule.empty()) return; // both are in the table of the run
    const OrdersText orders = two_orders(report_, finding, {options_.width, options_.color});
    if (!orders.table.empty()) {
      print("\n{}", orders.table);
      write_lines(orders.places);
    }
    if (is_verbose()) write_all_steps(finding);
  }

  // The lines of the table's steps that no place has shown.
  void write_lines(const SourcePlaces& places) {
    std::set<std::string> files;
    for (const auto& [file, line] : places) files.insert(file);
    bool first = true;
    for (const auto& [file, line] : places) {
      const auto text = shown_.contains({file, line}) ? std::nullopt : sources_.line(file, line);
      if (!text || text->find_first_not_of(" {}") == std::string::npos) continue;
      if (std::exchange(first, false)) print("\n");
      const std::string name = files.size() < 2 ? "" : std::filesystem::path(file).filename().string() + ":";
      print("    {:>5} | {}\n", fmt::format("{}{}", name, line),
            cut_to(text->substr(text->find_first_not_of(' ')), options_.width - 12));
    }
    shown_.clear();
  }

  // --verbose: the witness, turn by turn.
  void write_all_steps(const FindingText& finding) {
    if (finding.schedule.empty() && finding.next.empty()) return;
    print("\n  every step of the {} order\n", name_of(finding.status));
    if (finding.observed_prefix != 0) print("    as recorded          the first {} events\n", finding.observed_prefix);
    write_schedule(finding, finding.schedule, finding.turns);
    for (const std::uint32_t event : finding.next) {
      const StepText& step = step_of(report_, event);
      print("    {:<20} {}{}\n", "next: " + thread_phrase(finding, step.thread), next_phrase(step), at(step.spot));
    }
  }

  void write_schedule(const FindingText& finding, std::span<const std::uint32_t> listed, std::span<const Turn> turns) {
    std::size_t first = 0;
    for (const Turn& turn : turns) {
      if (turn.skipped != 0) print("    ... {} more turns\n", turn.skipped);
      const std::string more = turn.more != 0 ? fmt::format("... {} more; ", turn.more) : "";
      const std::string events = fmt::format("({} event{})", turn.events, turn.events == 1 ? "" : "s");
      const std::string key = fmt::format("{}{}", more, fmt::join(phrases(listed.subspan(first, turn.listed)), "; "));
      first += turn.listed;
      print("    {:<20} {}{}{}\n", thread_phrase(finding, turn.thread), key, key.empty() ? "" : "  ", events);
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
    std::string decision = fmt::format("decided by {} ({} model)", finding.engine, name_of(finding.model));
    if (finding.count > 1)
      decision += fmt::format("; {} times at these {}", finding.count, finding.pairs.size() > 1 ? "lines" : "places");
    if (finding.suppressed_pairs != 0 && !finding.pairs.empty())
      decision += fmt::format("; {} more {} suppressed", finding.suppressed_pairs, lines_word(finding));
    print("\n");
    write_paragraph("", fmt::format("{}; fingerprint {}", decision, finding.fingerprint));
    write_replay(finding);
    print("\n");
  }

  void write_replay(const FindingText& finding) {
    if (!finding.replayed.empty()) print("\n  replayed\n");
    for (const std::string& line : finding.replayed) print("    {}\n", printable(line));
    if (!finding.diverged.empty()) print("\n  a replay diverged: {}\n", printable(finding.diverged));
    else if (const std::string command = replay_command(report_, finding); !command.empty())
      print("  to see it happen: {}\n", command);
  }

  const Report& report_;
  const TextOptions& options_;
  SourceLines sources_;
  SourcePlaces shown_; // lines of the present finding that its places have shown
  std::string out_;
};

// The report as it is shown: text of the program cannot act on the terminal, and files below `here`
// have short names. Files are read by their whole names before.
Report shown_report(const Report& report, const TextOptions& options) {
  const std::string& here = options.here;
  const std::string folder = here.empty() || here.ends_with('/') ? here : here + "/";
  const auto nearer = [&](std::string& file) {
    if (!folder.empty() && file.starts_with(folder)) file.erase(0, folder.size());
  };
  Report out = report;
  const auto word = [&](std::string& text) {
    if (options.detail != Detail::Verbose) text = with_short_types(text);
    text = printable(text);
  };
  TextVisitor visitor(
      [&](Spot& spot) {
        nearer(spot.file);
        word(spot.file);
        word(spot.function);
      },
      word);
  for (FindingText& finding : out.findings) nearer(finding.run.place);
  visitor.visit(out);
  return out;
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

std::string with_candidates(const Report& shown, const TextOptions& options) {
  std::string out = TextWriter(shown, options).write();
  return options.detail == Detail::Quiet ? out : out + candidates_text(shown);
}

} // namespace

std::string findings_text(const Report& report, const TextOptions& options) {
  return with_candidates(shown_report(report, options), options);
}

std::string text(const Report& report, const TextOptions& options) {
  const Report shown = shown_report(report, options);
  const bool nothing_to_say = shown.findings.empty() && shown.coverage.complete && shown.rejected == 0;
  if (options.detail == Detail::Quiet && nothing_to_say) return {};
  const bool brief = options.detail == Detail::Quiet || !shown.candidates.empty();
  return with_candidates(shown, options) + (brief ? "" : suggestions_text(shown, options.width)) +
         summary(shown, options.detail == Detail::Verbose);
}

} // namespace sooth::report
