// Updates of atomic variables that are split into two atomic operations.
//
//     T1: v = n.load()        n = 0
//     T2: n.fetch_add(5)      n = 5
//     T1: n.store(v + 1)      n = 1: the update of T2 is lost
//
// Question: which loads and stores of one atomic variable, marked by nobody, look as if they should
//   be one operation?
// Source: stale values, as in unmarked_blocks.h; but without locks, and so by the flow of values:
//   the classes of sites (trace/program/value_flows.h) say that what the load returned goes into
//   the store. Both are in one activation of a function, or one call below it, in no critical
//   section together, and the thread does not look at the variable in between. Some run has
//   another thread's store or update between the two. Protocols whose values forbid that (the
//   holder of a ticket lock serves the next one) are none.
// Where we differ: a value that may also decide something has no known way into the store; such
//   loads do not count. These are suggestions, not findings: the program may be right. The checker
//   is not asked.
// Cost: one pass over atomic operations; kMostQuestions questions.
#pragma once

#include <cstdint>
#include <vector>

#include "causality/computation/computation.h"
#include "predict/atomicity/atomic_blocks.h"
#include "predict/question/feasibility.h"
#include "trace/trace.h"

namespace sooth::predict {

struct SplitAtomic {
  Block block;             // from the load to the store
  std::uint32_t other = 0; // another thread's store or update, which some run has in between
};

std::vector<SplitAtomic> find_split_atomics(const trace::Trace& trace, const causality::Computation& computation,
                                            const Feasibility& feasibility);

} // namespace sooth::predict
