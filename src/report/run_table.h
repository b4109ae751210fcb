// A run that violates a property, as a table: its steps, the observed order beside them, and the
// states.
#pragma once

#include <string>

#include "report/report.h"

namespace sooth::report {

// The rule and the table, with a line end after each line.
std::string run_table(const FindingText& finding, bool color);
// For a finding without a table: two steps whose order the recording leaves open; empty if there
// are none.
std::string doubt_text(const FindingText& finding);

} // namespace sooth::report
