// Memory that is freed while nothing orders the free behind another thread's access, by the C++
// memory model.
//
//     T1 write p->data
//     T1 atomic-rmw p->users, relaxed      2 -> 1
//     T2 atomic-rmw p->users, relaxed      1 -> 0, but T2 does not synchronise with T1
//     T2 free p                            unordered with T1's write of p->data
//
// Question: which accesses of a block by other threads does happens-before not order before its
//   free, in the recorded run?
// Source: [intro.races] of C++20, with a free as a write of the whole block (synchronises_with.h).
// Where we differ: memory_errors.h predicts runs in the order of the values, in which the counter
//   above keeps the free behind everything. As with races (memory_model.h), relaxed operations do
//   not. Of each thread the last plain and the last atomic access are enough: if they are ordered,
//   so are those before them. Frees inside libraries are left out, and counted by memory_errors.h.
// Cost: linear; a tree lookup for each access.
//
// The finding has status `observed`, engine "memory-model". Its witness is the recorded run up to
// and with the free.
//
// Places: the access (Role::Use), then the free (Role::Free).
#pragma once

#include <vector>

#include "base/budget.h"
#include "predict/question/coverage.h"
#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::predict {

// `known`: findings of other engines. What these say already is not said again.
std::vector<witness::Finding> find_unordered_frees(const trace::Trace& trace,
                                                   const std::vector<const witness::Finding*>& known,
                                                   Coverage& coverage, const Budget& budget = Budget());

} // namespace sooth::predict
