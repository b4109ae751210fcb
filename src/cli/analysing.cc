#include "cli/analysing.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

#include "analysis/engines.h"
#include "analysis/pipeline.h"
#include "cli/attempts.h"
#include "cli/output.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"
#include "report/between/merge.h"
#include "report/between/processes.h"
#include "report/json.h"
#include "report/text.h"

namespace sooth::cli {

namespace {

// FOLDER/ID.witness for each finding that can be replayed.
bool write_witnesses(const report::Report& report, const std::string& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  for (const report::FindingText& finding : report.findings)
    if (!finding.script.empty() && !write_file(fmt::format("{}/{}.witness", folder, finding.id), finding.script))
      return false;
  return true;
}

// Prints the report to standard error and writes the files.
int tell(report::Report report, const AnalysisOptions& options, const BeginTelling& begin) {
  for (const std::string& objection : report.objections) complain("internal error: " + objection);
  report::tell_processes(report);
  apply_baseline(options.files, report);
  const report::Detail detail = options.verbose ? report::Detail::Verbose
                                : options.quiet ? report::Detail::Quiet
                                                : report::Detail::Usual;
  report.replay = options.replay;
  const std::string text = report::text(report, text_options(detail));
  begin();
  const bool printed = print_error_text(text);
  if (!options.witnesses.empty() && !write_witnesses(report, options.witnesses)) return kWrong;
  if (!write_report_files(report, options.files) || !printed) return kWrong;
  if (!report.findings.empty()) return options.exit_code;
  return report.coverage.unanswered.empty() ? kFine : kUnanswered;
}

void add_property_options(Parser& parser, analysis::PropertyOptions& options) {
  parser.add_flag("--count", options.count, "Also say how many cuts and runs there are, and how many runs violate");
  parser.add_flag("--first", options.first, "Only the first violation: of the recorded run, or else of another");
  parser.add_flag("--all", options.all, "One finding for each property and each cut in which it can fail");
  parser
      .add_option("--max-width", options.max_width,
                  "Keep the N cuts of each level that are nearest to the observed run")
      ->type_name("N");
}

} // namespace

void add_search_options(Parser& parser, analysis::Options& options) {
  std::string words;
  for (const std::string& word : analysis::find_words()) words += fmt::format("{}{}", words.empty() ? "" : ",", word);
  parser.add_option("--find", options.find, "What to look for; all of " + words + " if not given")->type_name("KINDS");
  parser.add_option("--atomic", options.atomic, "Functions that are meant to be atomic; `*` stands for letters")
      ->type_name("GLOB")
      ->one_value();
  parser.add_flag("--definition5", options.definition5,
                  "Blocks: by the letter of Definition 5 (docs/findings.md), for comparison");
  parser.add_option("--window", options.limits.window, "Search the complete tier within N steps")
      ->type_name("N")
      ->at_least(1)
      ->show_default();
  options.limits.seconds = analysis::kDefaultSeconds;
  parser
      .add_option("--budget", options.limits.seconds, "Stop after so many seconds, and say what is undecided; 0: never")
      ->type_name("SECONDS")
      ->show_default()
      ->at_least(0);
  parser
      .add_option("--memory", options.memory,
                  "Analyse what fits into so many bytes (K, M, G); half of the machine's if not given")
      ->type_name("BYTES");
  parser.add_flag("--each", options.each,
                  "A finding for each pair of lines, not for each variable and pair of functions");
  parser.add_option("--jobs", options.limits.jobs, "Use N threads; 0: one for each processor")
      ->type_name("N")
      ->at_least(0)
      ->show_default();
}

void add_analysis_options(Parser& parser, AnalysisOptions& options) {
  add_search_options(parser, options);
  parser
      .add_option("--model", options.model,
                  "Which other runs there are: " + analysis::model_names() +
                      "; if not given, full where a read decides nothing; elsewhere maximal, for properties hb")
      ->type_name("MODEL")
      ->each([&options](const std::string& name) { options.properties.model = name; });
  add_property_options(parser, options.properties);
  add_report_file_options(parser, options.files);
  parser
      .add_option("--witness", options.witnesses,
                  "Write the schedule of each predicted finding to DIR/ID.witness, for `sooth replay --witness`")
      ->type_name("DIR");
  parser.add_option("--suppressions", options.suppressions, "Findings to leave out, as ThreadSanitizer has them")
      ->type_name("FILE");
  parser.add_flag("--whole-witness", options.whole_witness,
                  "Every step of a predicted run, not only those that matter");
  parser.add_flag("--candidates", options.candidates,
                  "List, apart, what might be an error but is not proved: undecided ones, and pairs of accesses\n"
                  "that no lock and no order keeps apart although no run has both");
  parser.add_flag("--quiet", options.quiet, "A line for each finding; nothing if there is nothing to say");
  parser
      .add_flag("--verbose", options.verbose,
                "Also library frames, all steps that are listed, addresses, and every bound and note")
      ->excludes("--quiet");
  parser.add_option("--exit-code", options.exit_code, "Exit status if something was found")
      ->type_name("N")
      ->show_default()
      ->within(0, 255);
}

namespace {

// Schedules are made where somebody will see them.
AnalysisOptions with_scripts(AnalysisOptions options) {
  options.scripts = options.scripts || !options.files.json.empty() || !options.witnesses.empty() || options.confirm;
  return options;
}

void confirm_in(report::Report& report, const AnalysisOptions& options, const std::vector<std::string>& traces,
                const BeginTelling& begin) {
  if (!options.confirm) return;
  begin(); // the program runs now, as often as there are findings
  options.confirm(report, traces);
}

// On disk; at least 1.
double bytes_of(const std::string& file) {
  struct stat info = {};
  return stat(file.c_str(), &info) == 0 ? std::max(1.0, 512.0 * static_cast<double>(info.st_blocks)) : 1.0;
}

// The report about all traces; an error only if there is none about any.
Result<report::Report> analyse_all(const std::vector<NamedTrace>& traces, const AnalysisOptions& options,
                                   analysis::Spending& spending, ProgressLine& line, std::vector<std::string>& notes) {
  report::MergedReports merged;
  std::optional<Error> first;
  double rest = 0; // bytes
  for (const NamedTrace& trace : traces) rest += bytes_of(trace.file);
  for (std::size_t i = 0; i < traces.size(); ++i) {
    if (traces[i].child != 0 && spending.left() <= 0) {
      merged.leave_out(traces[i].child);
      continue;
    }
    const double bytes = bytes_of(traces[i].file);
    const double share = spending.left() * std::min(1.0, bytes / rest);
    rest = std::max(1.0, rest - bytes);
    analysis::Spending own(spending.limited() ? std::max(share, analysis::kShortest) : 0, spending.bytes);
    own.most_events = spending.most_events;
    own.part_for_reading = spending.part_for_reading;
    own.last = spending.last;
    own.works_on = spending.works_on;
    own.looks = spending.looks;
    own.give_up = spending.give_up;
    std::vector<std::string> notes_of_one;
    auto report = analysis::analyse(traces[i].file, traces[i].name, options, own, line, notes_of_one);
    for (const std::string& note : notes_of_one) notes.push_back(fmt::format("{}: {}", traces[i].name, note));
    if (report && traces[i].child != 0) // a replay follows the first process
      for (report::FindingText& finding : report->findings) finding.script.clear();
    std::optional<Error> error = report ? merged.add(std::move(*report), traces[i].child != 0) : report.error();
    if (!error) continue;
    notes.push_back(error->text());
    merged.miss(traces[i].name, error->message);
    if (!first) first = std::move(error);
  }
  if (merged.empty()) return *first;
  return std::move(merged).all();
}

} // namespace

Ended analyse(const std::vector<NamedTrace>& traces, const AnalysisOptions& given) {
  if (traces.size() == 1) return analyse(traces.front().file, traces.front().name, given);
  const AnalysisOptions options = with_scripts(given);
  analysis::Spending spending(options.limits.seconds, analysis::memory_limit(options));
  const std::string name = counted(traces.size(), "trace");
  const auto look = [&](const BeginTelling& begin) -> int {
    std::vector<std::string> notes;
    auto report = [&] {
      ProgressLine line("looking");
      return analyse_all(traces, options, spending, line, notes);
    }();
    complain_all(notes);
    std::vector<std::string> files;
    for (const NamedTrace& trace : traces) files.push_back(trace.file);
    if (report) confirm_in(*report, options, files, begin);
    return report ? tell(std::move(*report), options, begin) : kWrong; // the notes have said why
  };
  return within_memory(spending, look, [&] { return tell(analysis::nothing_known(name, options), options, [] {}); });
}

std::vector<NamedTrace> traces_named(const std::vector<std::string>& words) {
  namespace fs = std::filesystem;
  std::vector<NamedTrace> out;
  for (const std::string& word : words) {
    std::error_code problem;
    if (!fs::is_directory(word, problem)) {
      out.push_back({word, word});
      continue;
    }
    std::vector<std::string> inside;
    for (fs::directory_iterator it(word, problem), end; !problem && it != end; it.increment(problem))
      if (it->path().extension() == ".sooth" && it->is_regular_file()) inside.push_back(it->path().string());
    if (problem) complain(fmt::format("cannot read the folder {}: {}.", word, problem.message()));
    else if (inside.empty()) complain(fmt::format("there are no traces (*.sooth) in {}.", word));
    if (problem || inside.empty()) return {};
    std::ranges::sort(inside);
    for (const std::string& file : inside) out.push_back({file, file});
  }
  return out;
}

Ended analyse(const std::string& file, const std::string& name, const AnalysisOptions& given) {
  const AnalysisOptions options = with_scripts(given);
  analysis::Spending spending(options.limits.seconds, analysis::memory_limit(options));
  const auto look = [&](const BeginTelling& begin) -> int {
    std::vector<std::string> notes;
    auto report = [&] {
      ProgressLine line("looking");
      return analysis::analyse(file, name, options, spending, line, notes);
    }();
    complain_all(notes);
    if (report) confirm_in(*report, options, {file}, begin);
    if (report) return tell(std::move(*report), options, begin);
    complain(report.error().text());
    return kWrong;
  };
  return within_memory(spending, look, [&] { return tell(analysis::nothing_known(name, options), options, [] {}); });
}

} // namespace sooth::cli
