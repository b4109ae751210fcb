// Assertions that fail in another run.
//
//     T1: lock ; busy = 1 ; unlock ; lock ; busy = 0 ; unlock
//     T2: lock ; v = busy ; unlock ; assert(v == 0)
//     In the recorded run T2 comes last. In another one it comes between T1's critical sections.
//
// Question: is there a run after which a thread stands before the loads of a check
//   (trace/program/checks.h), and memory holds values for which the check fails?
// Source: maximal models, section 3: a thread may end one read early with another value. What it
//   does then is known here, because the pass has proved it: it fails.
// Method: for each write of the check's locations by another thread, Feasibility is asked for a run
//   that has it; and for one that has none. The values at the end of the run decide. If a later
//   write has spoiled them, it is asked to come earlier, or not at all.
// Gives up: after kMaxAsked questions about one write, and where several variables get their values
//   from several threads. If nothing was found, the check is undecided then.
// Models below maximal have no such runs.
// Cost: nothing for checks that no recorded value fails; else up to kMaxPoints questions each.
//
// Places: the first load, and the write that it sees, if there is one. The witness ends before the
//   load.
#pragma once

#include <vector>

#include "causality/computation/computation.h"
#include "predict/question/coverage.h"
#include "predict/question/feasibility.h"
#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::predict {

std::vector<witness::Finding> find_assertions(const trace::Trace& trace, const causality::Computation& computation,
                                              const Feasibility& feasibility, witness::Model model,
                                              const Limits& limits, Coverage& coverage);

} // namespace sooth::predict
