// Condition variables: waits, wake-ups and signals as operations of steps.
//
//     T1 wait c, T2 wait c, T3 signal c, T1 wake c
//     T1: wait-begin c, wake-up c     T2: wait-begin c     T3: signal c
//     In another run T3 may signal before anybody waits, or T2 may wake up instead of T1
//
// Question: which signals may end a wait?
// Source: POSIX (wait_queue.h); the rule of trace/legality: every wake-up that did not time out has
//   a signal or broadcast of its own since its wait began.
// A wake-up for which the recorded run has no signal ends by itself in other runs, too.
// Cost: one pass.
#pragma once

#include "causality/computation/effects.h"
#include "trace/trace.h"

namespace sooth::causality {

void add_condition_operations(const trace::Trace& trace, Effects& effects);

} // namespace sooth::causality
