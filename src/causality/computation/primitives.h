// Orders that come from threads, conditions, barriers, semaphores, one-time initialisation and
// annotations.
//
//     T1 fork T2, T2 start       order: fork before start
//     T1 sem-post s, T2 sem-wait s, with the count at 0 before
//                                order: this post before this wait, in every run
//
// Question: which events must precede which, whatever the schedule, for these primitives to act as
//   they were observed to?
// Source: the rules of trace/legality, read the other way round: what each rule looks for in the
//   past becomes an order.
// Where we differ: a maximal model would allow more. Here it stays as observed which signal woke
//   which thread, which post served which wait, which threads met at a barrier, and which thread
//   ran an initialiser. Where that costs runs, the order is counted as conservative.
// Cost: one pass.
#pragma once

#include "causality/computation/effects.h"
#include "trace/trace.h"

namespace sooth::causality {

void add_primitive_orders(const trace::Trace& trace, Effects& effects);

} // namespace sooth::causality
