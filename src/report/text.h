// A report for people, on a terminal.
#pragma once

#include <string>

#include "report/report.h"

namespace sooth::report {

struct TextOptions {
  bool color = false;
  std::string here = {}; // files below this folder are shown without it
  // The command that replays a predicted finding; `{}` stands for its number. Empty: none is shown.
  std::string replay = {};
};

// Every finding, then a line that sums up, then the coverage.
std::string text(const Report& report, const TextOptions& options);
// The last lines alone: "sooth: 2 findings (1 race, 1 deadlock) ..." and the coverage.
std::string summary(const Report& report);

} // namespace sooth::report
