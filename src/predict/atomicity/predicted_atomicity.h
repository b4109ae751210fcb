// Blocks that another run breaks: the second half of atomicity.h, which has the definitions.
//
//     1 T1 begin
//     2 T1 read  balance = 100
//     3 T1 read  balance = 100
//     4 T1 end
//     5 T2 write balance = 80
//     The run 1 2 5 reaches 3, which would see 80. No run has 1 2 3 in one piece with 100 and 80.
//
// Question: is there a run that reaches a read of a block which would see another value than in the
//   recorded run, after another thread's write inside the block; such that no run has the block up
//   to that read, with that value, in one piece (local), or none has it besides all blocks that the
//   run has completed in one piece each (global)?
// Source: maximal models, Definition 5, for a run and one read more with its value (Theorem 7's
//   extended prefixes).
// Where we differ: a block that is cut off at such a read counts as a transaction, up to the read.
//   For the global question other threads go on to the ends of blocks that they are in, in the
//   observed order.
// Cost: the questions about reads and writes that BlockQuestions allows; a search for each yes.
#pragma once

#include "predict/atomicity/block_set.h"
#include "predict/question/coverage.h"
#include "predict/question/feasibility.h"

namespace sooth::predict {

// `broken`: by block; these are left out.
void predict_broken_blocks(const BlockSet& set, const Feasibility& feasibility, const std::vector<bool>& broken,
                           BlockFindings& findings, Coverage& coverage);

} // namespace sooth::predict
