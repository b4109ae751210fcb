// Lost wake-ups: waits that some run enters after the last signal.
//
//     1 T1 acquire m
//     2 T1 wait c, m       gives m up; the run 1 3 2: T2 has signalled and ended before T1 waits.
//     3 T2 signal c        No signal will come: T1 waits for ever.
//     4 T1 wake c, m
//
// If T1 tests a flag under m before it waits, and T2 sets it under m before it signals, then T1
// would see the flag in such a run, and not wait: nothing is found.
//
// Question: is there a run in which every other thread does everything that it did in the recorded
//   run, all signals of the condition come before the wait, and the waiting thread stands behind
//   it? If the others need nothing of what the wait gives up, its thread may also stand before it.
//   This is asked first, since more is known about it.
// Source: the orders wait -> signal -> wake of the computation, of which those of this wait are
//   waived. What the thread read before it waits stays as it was, so a predicate that is tested and
//   changed under the mutex answers no.
// Where we differ: other threads may join the waiting thread, and then stand before that join for
//   ever. But if any other thread's steps need what the thread does after its wait, nothing is
//   reported: without it they might do something else, and signal. The same holds for a thread
//   whose end is not in the trace: it may signal again. So every finding ends in a thread that
//   waits for ever, whatever else happens. Waits with a time limit (flag `fill` of the event), and
//   waits for futexes and atomics, are not looked at.
// Cost: two questions for each pair of sites of a wait and the signal that ended it, up to
//   kMaxTries waits.
//
// Places: the wait (Role::Wait), the signal that ended it in the recorded run (Role::Signal). The
//   witness's `next` is the wait, or the wake-up behind it.
#pragma once

#include <vector>

#include "causality/computation/computation.h"
#include "predict/question/coverage.h"
#include "predict/question/feasibility.h"
#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::predict {

std::vector<witness::Finding> find_lost_wakeups(const trace::Trace& trace, const causality::Computation& computation,
                                                const Feasibility& feasibility, const Limits& limits,
                                                Coverage& coverage);

} // namespace sooth::predict
