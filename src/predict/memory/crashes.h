// The recorded run's own death: a failed assertion, abort, std::terminate, an uncaught exception, a fatal signal.
//
// Question: did the program die by a signal of its own, where, and what did it say?
// The runtime's `crash` event tells it. What explains it (memory that was freed before, a race on what was read last) is added
// when all findings are known.
// Cost: the last events of the trace; for the explanation, the accesses of the thread's last segment.
#pragma once

#include <vector>

#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::predict {

std::vector<witness::Finding> find_crashes(const trace::Trace& trace);

// Says in the notes of crashes what the other findings and the trace tell about them.
void explain_crashes(const trace::Trace& trace, std::vector<witness::Finding>& findings);

} // namespace sooth::predict
