// Races between a signal handler and the thread that it interrupts.
//
//     1 T1 write x
//     2 T1 signal-enter      the signal came from elsewhere, at any time
//     3 T1 write x           in the handler: it may come in the middle of 1
//
// Question: did a handler of the recorded run access what its thread was working on when the signal
//   came, and is that a data race by C and C++?
// Source: [intro.races] of C++20: a handler's accesses are not sequenced with those of its thread.
//   Two conflicting ones race, unless both are atomic, or both are of an object of type
//   `volatile sig_atomic_t` ([support.signal], C11 5.1.2.3).
// Where we differ: the standard does not know masks, timers and senders. What the thread did before
//   it changed these, sent anything, synchronised or wrote a volatile or atomic variable, may be
//   ordered before the signal. So only its accesses since then count; and only those before the
//   signal, since a thread may wait for a handler in many ways. `volatile int` is the type
//   `volatile sig_atomic_t`; other volatile types are not.
// Cost: two passes; a list of each handler's accesses. Those beyond kMaxOfHandler are counted.
//
// Places: the thread's access, then the handler's (Role::Access); then the signal (Role::Signal).
#pragma once

#include <vector>

#include "predict/question/coverage.h"
#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::predict {

std::vector<witness::Finding> find_handler_races(const trace::Trace& trace, Coverage& coverage);

} // namespace sooth::predict
