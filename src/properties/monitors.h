// The offline twin of monitors: the same formulas, by the same code, on a recorded trace.
//
//     monitor fresh at writer: x > @reader(y)
//     writer: write x = 3                 knows y = 0: 3 > 0
//     reader: write y = 5, release m
//     writer: acquire m                   knows y = 5: `3 > 5` is false, a violation
//
// Question: which `monitor` entries fail in the predicted state of which thread, after which event?
// Source: DAME; src/knowledge evaluates, this feeds it the events that its header lists.
// Where we differ: unlike in the program itself, memory that no formula names, in monitors `over
//   *`, is cut into the pieces that accesses share (causality/computation/locations.h). Unless the
//   trace was recorded for this property file, it omits reads that repeat the one before, and does
//   not know the order of racing accesses. A violation that depends on that order is not observed,
//   but one of a possible run (unordered_accesses.h).
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
  std::vector<std::string> remarks;       // further remarks for the report, a sentence each
};

// `file` was resolved with the symbols of this trace, and has monitors.
Result<MonitorAnswer> check_monitors(const trace::Trace& trace, const causality::Computation& computation,
                                     const logic::PropertyFile& file);

} // namespace sooth::properties
