// Threads that come one after the other in every run, taken together.
//
//     main forks T1, joins T1, forks T2, joins T2       one chain: T1 T2
//     main forks T3 and T4, then joins both             two chains
//
// Question: how few chains are enough, if each thread of a chain begins after the one before it was
//   joined?
// A program that creates threads without end has few of them at a time, and so few chains. All
// steps of a chain's threads follow each other in every run. So a clock needs one component for all
// of them, and a binary search in one list replaces a look at each thread. The method is greedy, so
// not always the fewest: a thread that joins another one may continue its chain with the next
// thread that it creates, and so may the thread that joins it. Threads that are never joined have
// chains of their own.
// Cost: linear in steps, a binary search for each thread.
#pragma once

#include <cstdint>
#include <vector>

#include "causality/computation/computation.h"
#include "trace/trace.h"

namespace sooth::predict {

// By thread: the number of its chain. The threads of a chain follow each other in the observed
// order, too; all but the first begin with a ThreadStart.
std::vector<std::uint32_t> thread_chains(const trace::Trace& trace, const causality::Computation& computation);

} // namespace sooth::predict
