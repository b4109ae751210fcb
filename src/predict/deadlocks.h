// Deadlocks: circles of threads, each of which waits for what the next one has.
//
// Question: is there a run after which some threads stand directly before requests that block, each for something that
// the next thread of the circle holds?
// Source: lock graphs (Goodlock), with requests of equal shape taken together before circles are looked for; then a
// question to Feasibility for each circle: a run after which all of these threads stand before their requests. So a
// common (gate) lock, creation and joining, values and everything else that keeps threads apart needs no rule here.
// Where we differ: circles of any length; joins are requests (the child holds itself), so are wake-ups (the mutex is
// taken again) and waits for a one-time initialisation; a shared request waits for a writer that waits if the lock
// prefers writers. Tries and timed requests do not block; what they got is held like anything else.
// Not covered: semaphores and barriers as what is waited for; locks written by hand, of which only annotations tell.
// Cost: requests that stand alone are dropped; circles are counted up to kMaxCircles, questions for one circle up to
// kMaxTries; what is left is undecided.
//
// The finding's first places are the requests, in the order of the circle; then, for each request that waits for
// a lock, the event that took it (Role::Hold). The witness's `next` are the requests.
#pragma once

#include <vector>

#include "causality/computation.h"
#include "predict/coverage.h"
#include "predict/feasibility.h"
#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::predict {

std::vector<witness::Finding> find_deadlocks(const trace::Trace& trace, const causality::Computation& computation,
                                             const Feasibility& feasibility, const Limits& limits, Coverage& coverage);

} // namespace sooth::predict
