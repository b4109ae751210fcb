// Blocks that another run breaks, by view serialisability: the second half of atomicity.h, which
// has the definitions.
//
//     One balance, two critical sections in each block:
//     T1: lock, read 0, unlock                                         lock, write 1, unlock
//     T2:                      lock, read 0, unlock, lock, write 2, unlock
//     In the recorded run T2 came later and read 1. `full` lets it read 0: the order of the two
//     writes above shows that no value which T2 might write makes the blocks serial. `maximal` has
//     T2 stop at that read.
//
// Question: is there a run in which others come between two accesses of a block, such that no order
//   of that run's events has the block (or all blocks that the run has completed) in one piece?
// Source: the unserialisable interleavings of AVIO: read-write-read, write-write-read,
//   read-write-write and write-read-write of one location, and the cycles of two locations; each
//   asked of the model as a question, and each run judged by view_order.h.
// Cost: the questions that BlockQuestions allows; a search for each yes.
//
// Runs. A thread may end with one read that sees another value than in the trace. So a run is asked
// for in three ways: with everything as it was; with the block before its second access, which
// reads; with the other thread before its access, which reads, and the block before the second one,
// which follows.
//
// Candidates. If the model has no such run because of values that are read inside blocks, it is not
// known what the program does then. If these reads saw anything, would there be a run? Then the
// place counts as undecided.
#pragma once

#include "predict/atomicity/block_set.h"
#include "predict/question/coverage.h"
#include "predict/question/feasibility.h"

namespace sooth::predict {

// `broken`: by block; these are left out. `suspects`: list candidates.
void find_interleavings(const BlockSet& set, const Feasibility& feasibility, const Limits& limits,
                        const std::vector<bool>& broken, bool suspects, BlockFindings& findings, Coverage& coverage);

} // namespace sooth::predict
