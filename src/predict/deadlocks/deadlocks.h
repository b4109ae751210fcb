// Deadlocks: threads that wait for ever.
//
// Question: is there a run after which some threads stand directly before requests that nobody will ever grant?
//   circle      each waits for what the next one of them owns: locks, the next thread's end, an initialisation that the next
//               one is in. Nobody else can let them go.
//   standstill  some of it has no owner: a semaphore's count, the others at a barrier, a signal. Then every other thread of
//               the trace has come to its end, or stands before such a request as well (standstill.h).
//   abandoned   a lock whose owner has ended.
// Source: lock graphs (Goodlock), with requests that differ only in thread and round taken together before circles are looked for
// (lock_graph.h, circles.h); then questions to Feasibility about the instances of each circle (instances.h), until the answer to one
// is yes: a run after which all of these threads stand before their requests. So a
// common (gate) lock, creation and joining, values and everything else that keeps threads apart needs no rule here.
// Where we differ: circles of any length; joins are requests (the child holds itself), so are wake-ups (the mutex is
// taken again; or the signal does not come) and waits for a one-time initialisation; a shared request, also a nested one,
// waits for a writer that waits if the lock prefers writers. Tries and timed requests do not block; what they got is held
// like anything else. Whoever helped in the recorded run, later, is an edge of the graph for what has no owner.
// Not covered: semaphores and barriers whose first count was not recorded; programs whose signal handlers ran; futexes;
// locks written by hand, of which only annotations tell; standstills that need others to stop elsewhere than where they
// cannot go on.
// Cost: requests that stand alone are dropped; circles are counted up to kMaxCircles, questions for one circle up to
// kTriesPerCircle; a standstill costs the rest of the trace. What is left is undecided.
//
// The finding's first places are the requests, in the order of the circle, then those of others who stand still; then, for
// each request that waits for what somebody has, the event that took it (Role::Hold). The witness's `next` are all requests.
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
