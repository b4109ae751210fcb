// Uses after the end of an object's life: heap blocks, mappings, the stacks of threads; and double
// frees.
//
//     1 T1 alloc p
//     2 T1 fork T2
//     3 T2 read p
//     4 T1 free p            the run 1 2 4: T2 stands before 3, and p is freed
//
// Question: is there a run in which an access of an object comes after the end of its life,
//   although in the recorded run it came before?
// Source: the orders access -> end of the computation (causality/computation/lifetimes.h). The
//   question waives those of the accessing thread: the end happened, the thread stands directly
//   before the access.
// Where we differ: only accesses by other threads than the one that ends the object count, since a
//   thread's own order does not change. If the recorded run itself has an access after the end, or
//   a second free, that is an observed finding. A free inside a library is left out of predictions:
//   what made the library free the object (a counter of references in code without instrumentation)
//   was not recorded. It is known by the call's site, which names the function that was called.
//   Blocks whose address was allocated again have a file of their own: stale_pointers.h, which
//   predicts double frees. So have the ends of functions' frames on a stack that lives on:
//   frame_ends.h. Locks and other primitives are memory, too: their uses count as accesses
//   (trace::for_primitives_used). Those that are destroyed and not freed: primitive_lives.h.
// Cost: one pass; kMaxTries questions for each pair of sites.
//
// Places: the access (Role::Use) or second free (Role::Free), then the event that ended the object
//   (Role::Free). The witness's `next` is the first of them.
#pragma once

#include <vector>

#include "causality/computation/computation.h"
#include "predict/question/coverage.h"
#include "predict/question/feasibility.h"
#include "trace/objects.h"
#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::predict {

// `objects`: where the program had what was moved.
std::vector<witness::Finding> find_memory_errors(const trace::Trace& trace, const causality::Computation& computation,
                                                 const Feasibility& feasibility, const Limits& limits,
                                                 Coverage& coverage, const trace::ObjectTable& objects = {});

} // namespace sooth::predict
