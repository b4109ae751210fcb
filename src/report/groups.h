// Groups findings that a person would call one: same kind, same functions, and same variable (or
// member, or array).
//
// Example: four threads write an unprotected variable in 158 lines. That is one finding, with 9,361
//   pairs of lines inside.
// Question: which findings differ only in their lines?
// Where we differ: not one finding for each pair of lines. An unprotected variable is one mistake,
//   in however many lines it is used.
// Violations of properties, misused primitives and crashes stay alone: their places do not show
//   which of them are the same.
// Cost: two passes over the trace.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::report {

struct FindingGroup {
  std::string name; // what its members share, stable between runs; empty: the finding stands alone
  std::vector<std::size_t>
      members;               // findings; the first one is shown: an observed one if possible, with the shortest witness
  std::string identity = {}; // the name, with addresses where nothing else is known
};

// Groups with an observed finding come first; otherwise groups keep the order of the findings.
std::vector<FindingGroup> group_findings(const trace::Trace& trace, std::span<const witness::Finding> findings);

} // namespace sooth::report
