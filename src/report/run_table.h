// A run that violates a property, as a table: its steps, the observed order beside them, and the states.
#pragma once

#include <string>

#include "report/report.h"

namespace sooth::report {

// The rule and the table, with a line end after each line.
std::string run_table(const FindingText& finding, bool color);

} // namespace sooth::report
