// Signal handlers that do what an asynchronous handler must not do.
//
//     1 T1 signal-enter          the signal came from elsewhere, at any time
//     2 T1 enter on_signal
//     3 T1 alloc                 malloc: T1 may have been inside of malloc
//     4 T1 exit
//     5 T1 signal-exit, failed   errno is not what it was: T1 may have been about to look at it
//
// Question: did a handler of the recorded run call a function that is not async-signal-safe, or
//   change errno? As ThreadSanitizer has them, with locks besides the allocator (POSIX.1-2017, XSH
//   2.4.3).
// Where we differ: a signal that the thread sent to itself (`raise`), a fault of its own, and one
//   that comes while the thread waits with a mask of its own (`sigsuspend`, `ppoll`) interrupt
//   nothing unsafe. Handlers may do anything then. SIGTERM may change errno: such handlers often
//   send it again. A handler ends where its function is left, also by siglongjmp; one that is not
//   instrumented is not looked at.
// Cost: one pass.
//
// Places: the call, or the handler's end (Role::Use); then the signal (Role::Signal).
#pragma once

#include <vector>

#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::predict {

std::vector<witness::Finding> find_handler_misuse(const trace::Trace& trace);

} // namespace sooth::predict
