// The last lines of a report: how much was found, and how far one can rely on "nothing else".
#pragma once

#include <string>

#include "report/report.h"

namespace sooth::report {

// The gap for waits that the run came by and did not make (trace/program/unmade_waits.h); its
// detail names their places. The last line has it, too, so that nobody takes "nothing found" for
// more than it says.
inline constexpr const char* kUnmadeWaits = "unmadeWaits";

// "sooth: 2 findings (1 race, 1 deadlock); ...; complete for this run". If the answer is not
// complete: the main reasons in one sentence, and what the user can do. `verbose`: then all reasons
// and notes, one a line.
std::string summary(const Report& report, bool verbose = false);
// What looks as if it should be atomic, for people; empty if there is nothing.
std::string suggestions_text(const Report& report, std::size_t columns);
// "pairs of lines", or "combinations of lines" if they are not two
std::string_view lines_word(const FindingText& finding);
// Monitors, patterns and machines have one kind; the report uses the entry's word in the property
// file.
bool told_by_entry(const FindingText& finding);

} // namespace sooth::report
