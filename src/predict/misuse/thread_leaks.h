// Threads that have ended when the program exits, and that nobody joined or detached: libc keeps
// their stacks, and what they returned is lost.
//
//     1 T1 fork T2
//     2 T2 thread-end
//     3 T1 thread-end        the program exits: T2 is a leak. A `join` or `detach` of T2 anywhere
//                            would prevent this
//
// Question: which threads did the recorded run leak? As in ThreadSanitizer, a thread that still
//   runs at exit does not count, because a program may well end under it.
// Cost: one pass. Needs the whole trace.
//
// Places: the creation (Role::Use) and the thread's end (Role::Step).
#pragma once

#include <vector>

#include "predict/question/coverage.h"
#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::predict {

std::vector<witness::Finding> find_thread_leaks(const trace::Trace& trace, Coverage& coverage);

} // namespace sooth::predict
