// Fingerprints: short texts that stay the same for the same finding in another run, and in a
// rebuilt program.
#pragma once

#include <string>

#include "report/report.h"

namespace sooth::report {

// Made from the kind, the property and, for each place, its role, file, line, column, function and
// kind of event; if the line is unknown, also the variable's name. The order of the places does not
// matter. Addresses, folders, and numbers of threads, events or processes do not count.
std::string fingerprint(const FindingText& finding);

// For a group of findings: made from its name (groups.h).
std::string fingerprint_of_group(const std::string& name);

// For a finding that stands alone: the same without lines and columns, so that it survives changes
// elsewhere in the file.
std::string fingerprint_without_lines(const FindingText& finding);

// Findings that only their lines distinguish get fingerprints of their own, in their order.
void tell_apart_fingerprints(Report& report);

} // namespace sooth::report
