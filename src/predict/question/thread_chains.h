// Threads that come one after the other in every run, taken together.
//
// Question: how few chains are enough, if each thread of a chain begins after the one before it was joined?
// A program that creates threads without end has few of them at a time: so many chains. All steps of a chain's threads follow each
// other in every run, so a clock needs one component for all of them, and a binary search in one list replaces a look at each thread.
// Greedy, so not always the fewest: whoever joins a thread may go on with its chain in the next thread that he creates, and so may
// whoever joins him. Threads that nobody joins have chains of their own.
// Cost: linear in steps, a binary search for each thread.
#pragma once

#include <cstdint>
#include <vector>

#include "causality/computation/computation.h"
#include "trace/trace.h"

namespace sooth::predict {

// By thread: the number of its chain. In the observed order, too, the threads of a chain follow each other; all but the first begin
// with a ThreadStart.
std::vector<std::uint32_t> thread_chains(const trace::Trace& trace, const causality::Computation& computation);

} // namespace sooth::predict
