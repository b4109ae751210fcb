// The analysis as a part of commands: its options on the command line, its report on the terminal.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analysis/options.h"
#include "cli/command.h"
#include "cli/launch.h"
#include "cli/parser.h"
#include "cli/reports/report_files.h"
#include "report/report.h"

namespace sooth::cli {

struct AnalysisOptions : analysis::Options {
  ReportFiles files;      // the report in other forms
  int exit_code = kFound; // if there are findings
  std::string witnesses;  // folder for a witness file of each predicted finding; empty: none
  std::string replay;     // the command that replays a finding (report::Report)
  // `sooth run --confirm`: replays the predicted findings, and changes the report accordingly.
  // `traces`: those that it is about.
  std::function<void(report::Report&, const std::vector<std::string>& traces)> confirm = {};
  bool quiet = false;   // a line for each finding
  bool verbose = false; // everything that is known of each
};

// --find, --atomic, --window, --budget, --memory, --jobs.
void add_search_options(Parser& parser, analysis::Options& options);
// The same, --model, the options of properties except `--property`, and the options for findings.
void add_analysis_options(Parser& parser, AnalysisOptions& options);

// All steps, from reading to the report on standard error and as JSON, within the time and memory
// of the options. `name`: of the analysed trace or program.
// The exit status: options.exit_code if there are findings; kUnanswered if there are none, but some
// kind was not searched; kWrong after an error, which has been reported; else kFine.
Ended analyse(const std::string& file, const std::string& name, const AnalysisOptions& options);

// A trace, and its name in the report.
struct NamedTrace {
  std::string file;
  std::string name;
  std::uint32_t child = 0; // its process, if the program made that; its findings cannot be replayed
};
// The same for several traces: one report about all of them. Each gets a share of the time that is
// left when its turn comes, by the size of its file; for a child none may be left.
Ended analyse(const std::vector<NamedTrace>& traces, const AnalysisOptions& options);

// The traces that these words name: files, and folders, whose files `*.sooth` are meant, in the
// order of their names. Empty after an error, which has been reported.
std::vector<NamedTrace> traces_named(const std::vector<std::string>& words);

} // namespace sooth::cli
