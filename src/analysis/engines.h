// The table of engines: one row each, in the order in which they run.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/options.h"
#include "analysis/prepare.h"
#include "analysis/progress.h"
#include "analysis/spending.h"
#include "base/result.h"
#include "predict/question/coverage.h"
#include "predict/question/feasibility.h"
#include "report/report.h"
#include "witness/finding.h"

namespace sooth::analysis {

struct EngineInput {
  const Prepared& prepared;
  const predict::Feasibility& feasibility;
  witness::Model model;
  const predict::Limits& limits;
  const Options& options;
  const Spending& spending;
  Progress& progress;
};

// What engines add to, one after the other.
struct EngineOutput {
  std::vector<witness::Finding> found;
  predict::Coverage coverage;
  std::vector<report::Gap> gaps;       // remarks and counts of properties
  std::vector<std::string> unanswered; // what some engine should have looked for and could not
};

// What decides whether an engine's question can be asked of this trace at all.
enum class Needs {
  Fact,        // tells what the recording says, whatever else it lacks
  Nothing,     // says the same under every causal model
  Predictions, // asks for other runs: what orders threads must have been recorded
  Properties,  // a property file; asks by itself what it needs
};

struct Engine {
  std::string_view find;       // the word of `--find` that asks for it
  std::string_view looked_for; // "data races"
  Needs needs;
  // An error ends the analysis: a property file that does not fit.
  std::optional<Error> (*run)(const EngineInput& input, EngineOutput& output);
};
std::span<const Engine> engines();

inline constexpr std::string_view kProperties = "properties"; // the word that needs --property

// The words of `--find` that need nothing else, each once, in the order of the table.
std::vector<std::string> find_words();

} // namespace sooth::analysis
