// Uses of a function's variables after the function has returned.
//
//     1 T1 enter f
//     2 T1 write v           a variable of f, by f itself: v belongs to f's frame
//     3 T2 read  v
//     4 T1 exit f            the run 1 2 4: T2 stands before 3, and f has returned
//
// Question: is there a run in which another thread accesses a variable of a frame after the frame's
//   end?
// Source: exits are events of their thread (trace/event_kinds.def). Sites say which frame bytes
//   belong to: an access by the very function whose variable it is (kSiteOwnFrame). So the extent
//   of a frame is what its function accessed itself.
// Where we differ: unlike for the ends of objects, nothing orders accesses before an exit, so there
//   is nothing to waive. Threads that use other stacks than the one they began with are left out:
//   frames end in another order there.
// Cost: two passes over the accesses and one over the calls, only if some site is marked; kMaxTries
//   questions for each pair of places.
//
// Two cases. The access came before the exit: is there a run with the exit done, and the other
// thread before the access? The thread has its pointer from before the exit in that run, too, so
// the bytes there are not the ones it is meant for. The access came after the exit: bytes of a
// stack soon belong to another function, which may share them rightly. So the run must have the
// returned thread standing where it came out of the function: no other thread has learned anything
// from it since.
//
// Not covered: variables of functions that were inlined (they end with the function around them),
// variables that their own function does not access before the other thread does, and omitted
// accesses (docs/trace_format.md).
//
// Places: the access (Role::Use), the exit (Role::Free). The witness's `next` is the access.
#pragma once

#include <vector>

#include "causality/computation/computation.h"
#include "predict/question/coverage.h"
#include "predict/question/feasibility.h"
#include "predict/question/must_order.h"
#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::predict {

std::vector<witness::Finding> find_uses_after_return(const trace::Trace& trace,
                                                     const causality::Computation& computation,
                                                     const Feasibility& feasibility, const MustOrder& must,
                                                     Coverage& coverage);

} // namespace sooth::predict
