// From a trace to a report: the steps that `sooth check`, `sooth run` and `sooth compare` share.
//
//   verify -> separate objects -> compute -> engines -> check every witness -> describe -> suppress
//
// The order must be legal before anything is predicted from it, and no finding is shown whose witness the checker does
// not accept.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "cli/parser.h"
#include "cli/prepare.h"
#include "cli/property_analysis.h"
#include "predict/coverage.h"
#include "predict/feasibility.h"
#include "report/report.h"
#include "witness/finding.h"

namespace sooth::cli {

inline constexpr double kDefaultSeconds = 60;

struct AnalysisOptions {
  std::string find;                     // words of --find, separated by commas; empty: all
  std::string model;                    // empty: the most permissive one that the trace is fit for
  std::vector<std::string> atomic;      // functions that are meant to be atomic
  predict::Limits limits;               //
  std::string suppressions;             // a file; empty: none
  std::string json;                     // where the report goes as JSON; empty: nowhere
  bool candidates = false;              // list what is not proved, too
  int exit_code = kFound;               // if something was found
  PropertyChoice properties;            // --property; with one and without --find, nothing else is looked for
  const Allowance* allowance = nullptr; // what is left, if the analysis began before
  Attempt* attempt = nullptr;           // which this is a part of
  bool of_the_model_only = false;       // leave out engines that say the same under every model
};

// --find, --atomic, --window, --budget, --memory, --jobs.
void add_search_options(Parser& parser, AnalysisOptions& options);
// The same, --model, and what is done with the findings.
void add_analysis_options(Parser& parser, AnalysisOptions& options);
// A sentence about what is wrong with them, or nothing.
std::string check_analysis_options(const AnalysisOptions& options);

struct Findings {
  std::vector<witness::Finding> accepted;
  std::vector<std::string> objections; // of the checker, to findings that are withheld
  predict::Coverage coverage;
  std::vector<report::Gap> gaps; // of properties
};
// The model that `options` ask for.
std::string model_for(const Prepared& prepared, const AnalysisOptions& options);
// Runs the engines that `options.find` asks for. An error if the model does not apply to such a trace.
Result<Findings> find_all(const Prepared& prepared, const AnalysisOptions& options);

// All steps, reading included, within options' time and memory: a report on standard error, and as JSON. The exit status:
// options.exit_code if there are findings; kWrong after an error, which has been told; else kFine. `name`: of what is analysed.
Ended analyse(const std::string& file, const std::string& name, const AnalysisOptions& options);

} // namespace sooth::cli
