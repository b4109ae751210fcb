// Locks as operations: which thread requests what, and which one gives it up.
//
//     T1 acquire m, T1 acquire m (recursive), T1 release m, T1 release m    one section of m
//     T2 wait c with m                                                      releases m
//     T2 wake c                                                             acquires m
//
// Question: which operations on locks does each event make, with recursion, waits, failed tries and
//   robust mutexes resolved?
// Source: maximal models, section 2 (mutexes); trace/legality/locks.cc has the same rules as a
//   judgement.
// Where we differ: a lock whose events do not fit the rules (locks shared with other processes,
//   annotations by hand) does not count as a lock; its events keep their observed order instead. If
//   a try failed although no thread is seen to hold the lock, everything observed before it stays
//   before it.
// Cost: one pass.
#pragma once

#include <cstdint>
#include <vector>

#include "causality/computation/effects.h"
#include "trace/trace.h"

namespace sooth::causality {

// Adds operations, orders and pinned events; returns the locks' addresses by their numbers.
std::vector<std::uint64_t> add_lock_operations(const trace::Trace& trace, Effects& effects);

} // namespace sooth::causality
