#include "cli/analysing.h"

#include <filesystem>

#include <unistd.h>

#include "analysis/engines.h"
#include "analysis/pipeline.h"
#include "cli/attempts.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "report/json.h"
#include "report/text.h"

namespace sooth::cli {

namespace {

bool write_json(const report::Report& report, const std::string& path) {
  FileOutput out(path);
  report::json(report, [&](std::string_view text) { return out.write(text); });
  return out.finish();
}

// FOLDER/ID.witness for each finding that can be replayed.
bool write_witnesses(const report::Report& report, const std::string& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  for (const report::FindingText& finding : report.findings)
    if (!finding.script.empty() && !write_file(fmt::format("{}/{}.witness", folder, finding.id), finding.script))
      return false;
  return true;
}

// Prints the report to standard error and writes the JSON.
int tell(const report::Report& report, const AnalysisOptions& options, const BeginTelling& begin) {
  for (const std::string& objection : report.objections) complain("internal error: " + objection);
  std::error_code ignored;
  const std::string here = std::filesystem::current_path(ignored).string();
  const std::string text = report::text(report, {isatty(STDERR_FILENO) == 1, here, options.replay});
  begin();
  const bool printed = print_error_text(text);
  if (!options.witnesses.empty() && !write_witnesses(report, options.witnesses)) return kWrong;
  if (!options.json.empty() && !write_json(report, options.json)) return kWrong;
  if (!printed) return kWrong;
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
                      "; if not given, full for a trace with static facts, else maximal; hb for properties")
      ->type_name("MODEL")
      ->each([&options](const std::string& name) { options.properties.model = name; });
  add_property_options(parser, options.properties);
  parser.add_option("--json", options.json, "Write the report as JSON (docs/report.md)")->type_name("FILE");
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
  parser.add_option("--exit-code", options.exit_code, "Exit status if something was found")
      ->type_name("N")
      ->show_default()
      ->within(0, 255);
}

Ended analyse(const std::string& file, const std::string& name, const AnalysisOptions& given) {
  AnalysisOptions options = given;
  options.scripts = options.scripts || !options.json.empty() || !options.witnesses.empty() || options.confirm;
  analysis::Spending spending(options.limits.seconds, analysis::memory_limit(options));
  const auto look = [&](const BeginTelling& begin) -> int {
    std::vector<std::string> notes;
    auto report = [&] {
      ProgressLine line("looking");
      return analysis::analyse(file, name, options, spending, line, notes);
    }();
    complain_all(notes);
    if (report && options.confirm) {
      begin(); // the program runs now, as often as there are findings
      options.confirm(*report);
    }
    if (report) return tell(*report, options, begin);
    complain(report.error().text());
    return kWrong;
  };
  return within_memory(spending, look, [&] { return tell(analysis::nothing_known(name, options), options, [] {}); });
}

} // namespace sooth::cli
