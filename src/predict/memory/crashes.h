// The recorded run's own death: a failed assertion, abort, std::terminate, an uncaught exception, a
// fatal signal.
//
//     1 T1 alloc p
//     2 T2 free  p
//     3 T1 read  p          observed use after free
//     4 T1 crash SIGSEGV    the finding; explained by the use after free
//
// Question: did the program die by a signal of its own, where, and with which message? The
//   runtime's `crash` event has it. The explanation (memory that was freed before, a race on the
//   last reads) is added when all findings are known.
// Cost: the last events of the trace; for the explanation, the accesses of the thread's last
//   segment.
#pragma once

#include <vector>

#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::predict {

std::vector<witness::Finding> find_crashes(const trace::Trace& trace);

// Adds explanations to the notes of crashes, from the other findings and the trace.
void explain_crashes(const trace::Trace& trace, std::vector<witness::Finding>& findings);

} // namespace sooth::predict
