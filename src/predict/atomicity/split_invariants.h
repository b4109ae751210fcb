// Two variables that belong together, and that a thread changes in two critical sections.
//
//     T1: lock m ; from -= n ; unlock m ; lock m ; to += n ; unlock m
//     T2: lock m ; all = from + to ; unlock m        sees a sum that is not there before or after
//
// Question: which stretches of the program, marked by nobody, look as if they should be atomic,
//   because others treat as one what they change in two steps?
// Source: view consistency of Artho, Havelund and Biere, "High-level data races": what one thread
//   accesses in one critical section (its view) belongs together.
//   A thread writes x in a critical section, and y in its next section of the same lock, in one
//   activation of a function or one call below it. Neither section touches the other variable. And
//   either another thread has both in one section of that lock, or another thread writes both in
//   two such sections as well, and nobody reads what he overwrites: then each half may come from
//   another thread.
//   A section that a wait begins or ends asks for a state that it waits for; it does not count.
//   The other thread is not kept before or behind both in every run (must_order.h).
// Where we differ: only the sections next to each other count, and only small ones
//   (kMostSplitUses, kMostSplitWrites). These are suggestions, not findings: the program may be
//   right. The checker is not asked.
// Cost: two passes; for each section its uses times the stretches that begin with one of them.
#pragma once

#include <cstdint>
#include <vector>

#include "causality/computation/computation.h"
#include "predict/atomicity/atomic_blocks.h"
#include "predict/question/feasibility.h"
#include "trace/trace.h"

namespace sooth::predict {

struct SplitInvariant {
  Block block;                //  from the first write to the second one
  std::uint32_t other = 0;    // an event of the other thread
  bool is_overwritten = true; // by halves of another such block; else the other thread sees both
};

std::vector<SplitInvariant> find_split_invariants(const trace::Trace& trace, const causality::Computation& computation,
                                                  const Feasibility& feasibility);

} // namespace sooth::predict
