// Data races of the recorded run, by the C++ memory model.
//
//     T1 write data = 1
//     T1 atomic-write flag = 1, relaxed
//     T2 atomic-read  flag = 1, relaxed       sees T1's write, but does not synchronise with it
//     T2 read  data = 1                       a race; with release and acquire it would be none
//
// Question: which conflicting accesses of the recorded run, at least one of them not atomic, does
//   happens-before leave unordered?
// Source: [intro.races] of C++20; the shadow of FastTrack (epochs instead of clocks), with several
//   cells for each granule, to have the sites of all threads' last accesses.
// Where we differ: sequential consistency alone, as in maximal models, hides a race behind any
//   chain of values. So this engine runs besides the causal models: data that is published through
//   a relaxed flag is a race here. volatile orders nothing. Merged writes are skipped: a kept write
//   of the same bytes stands before each of them in the same segment, and happens before the same.
//   Each access is compared with the last ones of the other threads, not with all: if there is a
//   race on a byte, one is found on it.
// Cost: linear in the pages accessed, and in the bytes where a page is touched by many small
//   accesses; memory in the granules of such pages that two threads share. Gives up at
//   kMaxGranules.
//
// The finding has status `observed`, engine "memory-model"; its witness is the recorded run up to
// and with the second access. By the standard's definition that execution has a race, whatever the
// values were.
//
// Synchronisation that was not recorded could order the two accesses. If the program used a
// primitive that Sooth counts as unsupported and that may order threads, nothing is reported, and
// the coverage says why.
#pragma once

#include <vector>

#include "base/budget.h"
#include "predict/question/coverage.h"
#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::predict {

// Stops early if the budget is spent, and says so.
std::vector<witness::Finding> find_memory_model_races(const trace::Trace& trace, Coverage& coverage,
                                                      const Budget& budget = Budget());

} // namespace sooth::predict
