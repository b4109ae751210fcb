// Races on the initialisation of locks, conditions, semaphores and barriers.
//
//     1 T1 fork T2
//     2 T1 lock-init m
//     3 T2 acquire m        nothing orders 2 and 3: T2 may come to m before it is initialised
//
// Question: does one thread initialise a primitive that another thread uses, initialises or
//   destroys at the same time?
// Source: POSIX leaves it undefined. By the C++ memory model, the initialisation is a plain write.
// Where we differ: what the primitive itself orders does not count. A thread that waits for a post
//   of a semaphore relies on its initialisation before it gets to wait.
//   - Observed: happens-before of the recorded run (synchronises_with.h) does not order the two.
//   - Predicted: some run of the model has both threads directly before these calls.
// Cost: one pass; kTriesPerSites questions for each pair of sites.
//
// Not looked at: primitives that are shared with other processes, annotated ones, and calls inside
// of libraries without instrumentation, which may have synchronised in ways that are not recorded.
//
// Places: both calls (Role::Access), in their recorded order.
#pragma once

#include <vector>

#include "causality/computation/computation.h"
#include "predict/question/coverage.h"
#include "predict/question/feasibility.h"
#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::predict {

std::vector<witness::Finding> find_initialisation_races(const trace::Trace& trace,
                                                        const causality::Computation& computation,
                                                        const Feasibility& feasibility, Coverage& coverage);

} // namespace sooth::predict
