// The table of engines that `sooth check` runs: one row each.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "causality/computation.h"
#include "cli/progress.h"
#include "predict/coverage.h"
#include "predict/feasibility.h"
#include "trace/objects.h"
#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::cli {

struct EngineInput {
  const trace::Trace& trace;
  const causality::Computation& computation;
  const predict::Feasibility& feasibility;
  witness::Model model;
  const predict::Limits& limits;
  const std::vector<std::string>& atomic; // functions that are meant to be atomic
  const trace::ObjectTable& objects;      // where the program had what was moved
  Progress& progress;                     // how far it is
};

struct Engine {
  std::string_view find;       // the word of `--find` that asks for it
  std::string_view looked_for; // "data races"
  bool of_the_model;           // false: says the same under every causal model
  std::vector<witness::Finding> (*run)(const EngineInput& input, predict::Coverage& coverage);
};
std::span<const Engine> engines();

// The words of `--find`, each once, in the order of the table.
std::vector<std::string> find_words();

} // namespace sooth::cli
