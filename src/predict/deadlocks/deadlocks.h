// Deadlocks: threads that wait for ever.
//
//     1 T1 acquire a
//     2 T1 acquire b           the run 1 5: T1 has a and requests b, T2 has b and requests a.
//     3 T1 release b           Neither will ever go on.
//     4 T1 release a
//     5 T2 acquire b
//     6 T2 acquire a
//
// Question: is there a run after which some threads stand directly before requests that will never
//   be granted?
//     cycle       each waits for something that the next one of them owns: locks, the next thread's
//                 end, an initialisation that the next one is in. No other thread can release them.
//     standstill  some of it has no owner: a semaphore's count, the others at a barrier, a signal.
//                 Then every other thread of the trace has ended, or stands before such a request
//                 as well (standstill.h).
//     abandoned   a lock whose owner has ended.
// Source: lock graphs (Goodlock). Requests that differ only in thread and round are taken together
//   before cycles are looked for (lock_graph.h, circles.h). Then come questions to Feasibility
//   about the instances of each cycle (instances.h), until one is answered with yes: a run after
//   which all of these threads stand before their requests. So common (gate) locks, creation and
//   joining, values and everything else that keeps threads apart need no rule here.
// Where we differ: cycles of any length; joins are requests (the child holds itself), so are
//   wake-ups (the mutex is taken again; or the signal does not come) and waits for a one-time
//   initialisation; a shared request, also a nested one, waits for a writer that waits if the lock
//   prefers writers. Tries and timed requests do not block; locks that they got are held like any
//   other. For requests without an owner, a thread that helped later in the recorded run is an edge
//   of the graph.
// Not covered: semaphores and barriers whose first count was not recorded; programs whose signal
// handlers ran; futexes; locks written by hand, known only by annotations; standstills that need
// others to stop elsewhere than where they cannot go on.
// Cost: requests that stand alone are dropped; cycles are counted up to kMaxCircles, questions for
//   one cycle up to kTriesPerCircle; a standstill costs the rest of the trace. The rest is
//   undecided.
//
// The finding's first places are the requests, in the order of the cycle, then those of other
// threads that stand still; then, for each request for something that a thread holds, the event
// that took it (Role::Hold). The witness's `next` are all requests.
#pragma once

#include <vector>

#include "causality/computation/computation.h"
#include "predict/question/coverage.h"
#include "predict/question/feasibility.h"
#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::predict {

std::vector<witness::Finding> find_deadlocks(const trace::Trace& trace, const causality::Computation& computation,
                                             const Feasibility& feasibility, const Limits& limits, Coverage& coverage);

} // namespace sooth::predict
