// Threads, conditions, barriers, semaphores, one-time initialisation and annotations: operations
// for what is counted, orders for the rest.
//
//     T1 fork T2, T2 start              order: fork before start
//     T1 sem-post s, T2 sem-wait s      operations: any thread's post will do
//
// Question: what must have happened before an event of a primitive, whatever the schedule?
// Source: the rules of trace/legality, read the other way round: what each rule looks for in the
//   past becomes an operation (semaphore_operations.h, condition_operations.h) or an order.
// Where we differ: a maximal model would allow more. It stays as recorded which thread ran an
//   initialiser, where a cancelled thread ended, that a join failed, what was sent behind what was
//   received, and who met at a barrier that more threads use than a round has. Where that costs
//   runs, the order is counted as conservative.
// Cost: one pass.
#pragma once

#include "causality/computation/effects.h"
#include "trace/trace.h"

namespace sooth::causality {

void add_primitives(const trace::Trace& trace, Effects& effects);

} // namespace sooth::causality
