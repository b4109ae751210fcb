// Data races: two threads directly before conflicting accesses.
//
//     1 T1 write x                 observed: T1's critical section first, so 1 seems ordered
//     2 T1 acquire m               before 6
//     3 T1 release m
//     4 T2 acquire m               the run 4 5: T1 stands before 1, T2 before 6. Conflicting
//     5 T2 release m               accesses, next to each other: a race
//     6 T2 write x
//
// Question: which pairs of sites have accesses of common bytes, by different threads, one of them a
//   write and not both atomic, before which two threads can stand at the same time?
// Source: maximal models, Definition 4, with both projections on the thread of the respective
//   event.
// Where we differ: one finding for each pair of sites (Limits::each), or for each variable and pair
//   of functions, and then the other pairs of sites as far as they cost little: they only add lines
//   (Finding::alike, Coverage::alike). Of the pairs of events at these sites those are tried first
//   that stand closest together in the trace. Pairs that hold a common lock, or that fork, join and
//   the like keep apart, are dropped without a question: no model has them.
// Cost: linear in the accesses of shared memory to find the candidates; then one question after the
//   other, candidates shared out among `jobs` threads. Gives up on a pair of sites after
//   kMaxInstances pairs of events.
//
// The finding's places are the two accesses, in the order of the trace; so is the witness's `next`.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "causality/computation/computation.h"
#include "predict/question/coverage.h"
#include "predict/question/feasibility.h"
#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::predict {

inline constexpr std::size_t kMaxInstances = 2000;

// Called now and then, from one thread at a time: candidates that are decided, of how many.
using Progress = std::function<void(std::size_t done, std::size_t all)>;

std::vector<witness::Finding> find_races(const trace::Trace& trace, const causality::Computation& computation,
                                         const Feasibility& feasibility, witness::Model model, const Limits& limits,
                                         Coverage& coverage, const Progress& progress = {});

} // namespace sooth::predict
