// Findings of an observer, as data that the reports print.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "logic/property.h"
#include "observe/observed_run.h"
#include "observe/symbols.h"
#include "report/report.h"

namespace sooth::observe {

struct FoundRun {
  const logic::Property* property = nullptr;
  witness::Status status = witness::Status::Predicted;
  std::vector<RunStep> path;              // the last step leads to the state in which the property fails
  std::uint64_t before = 0;               // steps before these, which are not kept
  std::vector<std::uint64_t> values = {}; // of the variables before the first of these steps; empty: not known
  std::size_t repeated = 0;               // so many steps at the end repeat for ever; 0: none
};

// Adds the finding, and the steps that it names, to the report.
void add_finding(const FoundRun& run, const logic::PropertyFile& file, const ProgramSymbols& symbols,
                 report::Report& report);

} // namespace sooth::observe
