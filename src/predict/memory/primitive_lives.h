// Locks, conditions, semaphores and barriers that are used after they were destroyed.
//
//     1 T1 fork T2
//     2 T2 acquire m
//     3 T2 release m
//     4 T1 lock-destroy m    the run 1 4: T2 stands before 2, and m is destroyed
//
// Question: is there a run in which a thread comes to use a primitive after another thread has
//   destroyed it, although in the recorded run it came before?
// Where we differ: as with memory (memory_errors.h); the orders that are waived are those of
//   destroy_orders.h. POSIX allows `lock; last = --users == 0; unlock; if (last) destroy`: the
//   exclusion of the lock and the values of `users` already say that no run has the
//   destruction before another thread's unlock.
// Observed: semaphores, barriers and spin locks that the recorded run used after they were
//   destroyed. Only a call initialises these. Read-write locks and conditions may be initialised
//   again by assignment: they count if they are in a global variable or on the heap, if both calls
//   are the program's own, and if no recorded write touches them in between. Of mutexes misuse.h
//   knows, because libc marks them.
// Cost: one pass; kTriesPerSites questions for each pair of sites.
//
// Not looked at: primitives that are shared with other processes, and annotated ones.
//
// Places: the use (Role::Use), then the destruction (Role::Free). The witness's `next` is the use.
#pragma once

#include <vector>

#include "causality/computation/computation.h"
#include "predict/question/coverage.h"
#include "predict/question/feasibility.h"
#include "predict/question/must_order.h"
#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::predict {

std::vector<witness::Finding> find_uses_after_destroy(const trace::Trace& trace,
                                                      const causality::Computation& computation,
                                                      const Feasibility& feasibility, const MustOrder& must,
                                                      Coverage& coverage);

} // namespace sooth::predict
