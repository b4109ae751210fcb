// Runs the engines on a prepared trace, and lets the checker judge every witness.
#pragma once

#include <string>
#include <vector>

#include "analysis/engines.h"
#include "analysis/options.h"
#include "analysis/prepare.h"
#include "analysis/progress.h"
#include "analysis/spending.h"
#include "base/result.h"
#include "predict/question/coverage.h"
#include "report/report.h"
#include "witness/finding.h"

namespace sooth::analysis {

struct Findings {
  std::vector<witness::Finding> accepted;
  std::vector<std::string> objections; // of the checker, to findings that are withheld
  std::uint64_t unreal = 0;            // findings of `sliced` to which the checker objects
  predict::Coverage coverage;
  std::vector<report::Gap> gaps; // of properties
  // Kinds that were not searched at all; `coverage` says why.
  std::vector<std::string> unanswered;
};

// The model that `options` ask for.
std::string model_for(const Prepared& prepared, const Options& options);

// An error if the model does not apply to such a trace, or the property file does not fit it.
Result<Findings> find_all(const Prepared& prepared, const Options& options, Spending& spending, Progress& progress);

} // namespace sooth::analysis
