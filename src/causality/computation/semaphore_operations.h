// Semaphores as counters: posts and waits as operations of steps.
//
//     sem-init s = 0, T1 sem-post s, T2 sem-post s, T3 sem-wait s
//     T1: post s     T2: post s     T3: take s. In the recorded run T3 took T1's post; in another
//                                   run T2's will do
//
// Question: which counts must there be for a wait to pass?
// Source: POSIX; maximal models, section 2 (serial specifications). The rule of trace/legality:
//   a semaphore gives no more than its first count and its posts.
// An initialisation makes a new semaphore. If the first count is not known, it was at least what
// waits took before there were posts, and that is what runs may count on.
// Where the count itself says which post a wait needs, because only one thread posts, this is an
// order of every run. Semaphores of several processes keep all uses in their order (conservative).
// Cost: one pass.
#pragma once

#include "causality/computation/effects.h"
#include "trace/trace.h"

namespace sooth::causality {

void add_semaphore_operations(const trace::Trace& trace, Effects& effects);

} // namespace sooth::causality
