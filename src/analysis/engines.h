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
#include "survey/settled.h"
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
  std::vector<const witness::Finding*> known = {}; // what the engines before this one have found
};

// The results of one engine.
struct EngineOutput {
  std::vector<witness::Finding> found;
  predict::Coverage coverage;
  std::vector<report::Gap> gaps;       // remarks and counts of properties
  std::vector<std::string> unanswered; // kinds that an engine should have searched and could not
};

// What an engine needs of a trace to ask its question at all.
enum class Needs {
  Fact,        // reports facts of the recording, even of an incomplete one
  Nothing,     // gives the same answer under every causal model
  Predictions, // asks about other runs: all events that order threads must be recorded
  Properties,  // a property file; the engine checks its own needs
};

struct Engine {
  std::string_view find;       // the word of `--find` that asks for it
  std::string_view looked_for; // "data races"
  double share;                // of the time, relative to the shares of the engines that follow
  Needs needs;
  // An error ends the analysis: a property file that does not fit.
  std::optional<Error> (*run)(const EngineInput& input, EngineOutput& output);
  // The first pass may show that there is nothing to find (survey/settled.h). Null: it cannot.
  bool survey::Settled::* settled = nullptr;
  bool whole_only = false; // claims that no order has a block in one piece, which a piece of a trace cannot show
  // What the first pass has counted for it. The engine tells it, even if nothing is left to look
  // for.
  std::vector<survey::SplitUpdate> survey::Settled::* counted = nullptr;
};
std::span<const Engine> engines();

inline constexpr std::string_view kProperties = "properties"; // the word that needs --property

bool is_wanted(const Engine& engine, const std::vector<std::string>& wanted, const Options& options);
// The survey alone answers all that `options` ask for.
bool all_settled(const survey::Settled& settled, const Options& options);

// The words of `--find` that need nothing else, each once, in the order of the table.
std::vector<std::string> find_words();

} // namespace sooth::analysis
