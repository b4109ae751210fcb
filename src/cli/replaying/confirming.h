// `sooth run --confirm`: replays the predicted findings, and adds the outcomes to the report.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace sooth::cli {

struct ConfirmOptions {
  double budget = 60;                   // seconds for all replays together
  double watchdog = 10;                 // seconds of one of them in which nothing happens
  std::size_t jobs = 0;                 // so many at once; 0: one for each processor
  std::vector<std::string> traces = {}; // of the runs that the report is about: what they got from outside
};

// Every predicted finding with a script is replayed, several at once; those that diverged then,
// once more, alone. Its status becomes `confirmed`, or it stays predicted, with the reason. No
// replay outlives the budget. The program's output is thrown away, and its input is empty.
// `command`: the program's path and its arguments.
void confirm(report::Report& report, const std::vector<std::string>& command, const ConfirmOptions& options);

} // namespace sooth::cli
