// `sooth run --confirm`: replays what was predicted, and says in the report what came of it.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace sooth::cli {

struct ConfirmOptions {
  double budget = 60;   // seconds for all replays together
  double watchdog = 10; // seconds of one of them in which nothing happens
};

// Every predicted finding with a script is replayed once. Its status becomes `confirmed`, or it
// stays predicted, with the reason. The program's output is thrown away, and its input is empty.
// `command`: the program's path and its arguments.
void confirm(report::Report& report, const std::vector<std::string>& command, const ConfirmOptions& options);

} // namespace sooth::cli
