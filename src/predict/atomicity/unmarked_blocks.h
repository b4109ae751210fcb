// Blocks that nobody marked, but that look as if they should be atomic.
//
//     deposit: lock m ; b = balance ; unlock m          another thread's update in between
//              lock m ; balance = b + n ; unlock m      is overwritten
//
// Question: which stretches of the program would a marked block have to cover, so that some run
//   breaks it?
// Source: stale-value errors (Artho, Havelund and Biere, "Using block-local atomicity to detect
//   stale-value concurrency errors"), by critical sections and not by data flow. A thread reads a
//   location under a lock, and in a later critical section of the same lock it writes it without
//   having looked at it there. The two accesses are in one activation of a function, or one call
//   below it. Another thread writes the location under the lock, and may do so in between
//   (interleavings.h, as of a marked block). Check-then-act counts, too: the first section only
//   reads, and the later one only updates, that is, it reads and writes in one line (`balance -=
//   n`). A read in a line of its own is taken for a second look, and the same line twice for
//   another round of a loop. A thread that makes the first access and then goes another way (there
//   was nothing left) counts as one that may write: it runs the same code. That is looked at
//   first, and asks nothing about runs.
//   Two variables that belong together, changed one after the other: split_invariants.h.
//   Atomic variables without a lock: split_atomics.h.
// Where we differ: these are suggestions, not findings: the program may be right. The checker is
//   not asked.
// Cost: two passes; the questions of interleavings.h about the stretches that this does not decide,
//   or, with `list`, about all: a write that was made says more than one that may be.
#pragma once

#include <string>
#include <vector>

#include "causality/computation/computation.h"
#include "predict/question/coverage.h"
#include "predict/question/feasibility.h"
#include "trace/trace.h"

namespace sooth::predict {

struct Suggestion : Candidate {
  std::string function; // that has both accesses, or calls what has them
};

// One for each function, read and write, by line of the source. Places: the read, the write, and
// the other thread's access that may come between them, or that shows that it may write there.
// `feasibility`: is asked if it is under the maximal model; otherwise another one is made.
// `functions`: as in atomicity.h. What is inside one of their blocks, or of marked ones, is left
// out.
std::vector<Suggestion> suggest_blocks(const trace::Trace& trace, const causality::Computation& computation,
                                       const Feasibility& feasibility, const Limits& limits,
                                       const std::vector<std::string>& functions, bool list = true);

} // namespace sooth::predict
