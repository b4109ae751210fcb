// Locks as operations: who asks for what, and who gives it up.
//
// Question: which operations on locks does each event make, with recursion, waits, failed tries and robust mutexes seen
//   through?
// Source: maximal models, section 2 (mutexes); trace/legality/locks.cc has the same rules as a
//   judgement.
// Where we differ: a lock whose events do not fit the rules (locks shared with other processes, annotations by hand) is
//   no lock here; its events keep their observed order instead. A try that failed although nobody is seen to hold the
//   lock keeps everything before it that was observed before it.
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
