// The analysis as commands offer it: its options on the command line, its report on the terminal.
#pragma once

#include <string>

#include "analysis/options.h"
#include "cli/command.h"
#include "cli/launch.h"
#include "cli/parser.h"

namespace sooth::cli {

struct AnalysisOptions : analysis::Options {
  std::string json;       // where the report goes as JSON; empty: nowhere
  int exit_code = kFound; // if something was found
};

// --find, --atomic, --window, --budget, --memory, --jobs.
void add_search_options(Parser& parser, analysis::Options& options);
// The same, --model, what properties take but `--property`, and what is done with the findings.
void add_analysis_options(Parser& parser, AnalysisOptions& options);

// All steps, reading included, within options' time and memory: a report on standard error, and as JSON. The exit
// status: options.exit_code if there are findings; kUnanswered if there are none, but something was not looked for;
// kWrong after an error, which has been told; else kFine.
// `name`: of what is analysed.
Ended analyse(const std::string& file, const std::string& name, const AnalysisOptions& options);

} // namespace sooth::cli
