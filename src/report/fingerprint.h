// A short text that is the same for the same finding in another run, and in a rebuilt program.
#pragma once

#include <string>

#include "report/report.h"

namespace sooth::report {

// From the kind, the property and, for each place that tells findings apart, its role, file, line, column, function and
// kind of event (where the line is unknown, the variable's name); the same whatever the order of the places. No addresses, no numbers of threads, events or processes, no
// folders.
std::string fingerprint(const FindingText& finding);

} // namespace sooth::report
