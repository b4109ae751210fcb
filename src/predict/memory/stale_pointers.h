// Stale pointers: uses and frees of a block that, in another run, is still the freed one that stood
// there before.
//
//     1 T1 alloc 100 (A)
//     2 T1 free  100
//     3 T1 alloc 100 (B)
//     4 T2 free  100         the run 1 2: T2 stands before 4, T1 before 3. T2's pointer can only
//                            come from A: a double free
//
// Question: a block was freed and its address allocated again. Is there a run in which another
//   thread's first touch of the new block (an access or a free) comes after that free, and before
//   the address is allocated again?
// Source: maximal models, Theorem 7, with the addresses that allocations return as they were: a
//   thread knows only the number. If it comes as far without the new block, it got the number from
//   the old one.
// Where we differ: this is the only way to predict a double free, since the trace has a second free
//   of a block only if the recorded run did it. The thread that is to allocate stands directly
//   before it, as in a race.
// Cost: one pass; kMaxTries questions for each pair of sites.
//
// Not covered: a second free that the recorded run's values prevented; blocks of different
// beginnings.
//
// Places: the use (Role::Use) or second free (Role::Free), then the first free (Role::Free). The
//   witness's `next` is the first of them.
#pragma once

#include <vector>

#include "causality/computation/computation.h"
#include "predict/question/coverage.h"
#include "predict/question/feasibility.h"
#include "predict/question/must_order.h"
#include "trace/objects.h"
#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::predict {

// `objects`: where the program had what was moved (trace/objects.h).
std::vector<witness::Finding> find_stale_pointers(const trace::Trace& trace, const causality::Computation& computation,
                                                  const Feasibility& feasibility, const MustOrder& must,
                                                  const trace::ObjectTable& objects, Coverage& coverage);

// A free inside a library: its cause was not recorded. It is known by the call's site, which names
// the function that was called.
bool freed_inside_library(const trace::Trace& trace, const trace::Event& free);

} // namespace sooth::predict
