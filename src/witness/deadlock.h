// Whether the threads of a finding wait for ever, when its witness ends. Part of the checker; it
// knows no engine.
//
//     T1 holds a, stands before acquire b; T2 holds b, stands before acquire a: both owners are
//     threads of the finding, so neither request will be granted
//
// No request may ever be granted:
//     owned      a lock, an end, an initialisation: its owner is one of the finding's threads, or
//                has ended
//     not owned  a semaphore's count is 0, a barrier's group is not complete, no signal came since
//                the wait; and every other thread of the trace is one of the finding's, has reached
//                its recorded end, or never begins
#pragma once

#include "witness/replay.h"

namespace sooth::witness::checking {

Objection deadlock(const Finding& finding, const Facts& facts, const Replay& replay);

// Whether the thread that `wake` belongs to waits in this run, without a signal since.
bool no_signal_since_wait(const Witness& witness, const trace::Trace& trace, EventNumber wake);

} // namespace sooth::witness::checking
