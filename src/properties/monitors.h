// The offline twin of monitors: the same formulas, by the same code, on a recorded trace.
//
// Question: which `monitor` entries fail in the predicted state of which thread, after which event?
// Source: DAME; src/knowledge evaluates, this feeds it the events that its header lists.
// Where we differ from the program itself: memory that no formula names, in monitors `over *`, is cut into the pieces that
//   accesses share (causality/computation/locations.h). Unless the trace was recorded for this property file, it leaves out reads that repeat
//   the one before, and does not tell the order of accesses that race: what then depends on it is no observed violation, but one
//   of a run that might be (unordered_accesses.h).
// Cost: one pass over the trace; for each event one merge and one evaluation.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "causality/computation/computation.h"
#include "logic/property.h"
#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::properties {

struct MonitorAnswer {
  std::vector<witness::Finding> findings; // one for each monitor and place in the source
  std::vector<std::string> bounds;        // what makes the answer incomplete, a sentence's end each
  std::vector<std::string> remarks;       // what else is to be told, a sentence each
};

// `file` was resolved with the symbols of this trace, and has monitors.
Result<MonitorAnswer> check_monitors(const trace::Trace& trace, const causality::Computation& computation,
                                     const logic::PropertyFile& file);

} // namespace sooth::properties
