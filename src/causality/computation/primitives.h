// Orders that come from threads, conditions, barriers, semaphores, one-time initialisation and annotations.
//
// Question: which events must precede which, whatever the schedule, for these primitives to act as they were observed to?
// Source: the rules of trace/legality, read the other way round: what each rule looks for in the past becomes an order.
// Where we differ from a maximal model: who was woken by which signal, which post served which wait, which threads met
//   at a barrier and who ran an initialiser stay as observed. Where that costs runs, the order is counted as conservative.
// Cost: one pass.
#pragma once

#include "causality/computation/effects.h"
#include "trace/trace.h"

namespace sooth::causality {

void add_primitive_orders(const trace::Trace& trace, Effects& effects);

} // namespace sooth::causality
