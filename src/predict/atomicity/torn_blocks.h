// Blocks that a run of `full`, or of `sliced`, tears: atomicity where some values are not known.
//
//     T1 begin, T1 read x = 0, T2 write x = 5, T1 read x: it would see 5
//     Both values are certain. In one piece, the second read sees what the first one saw.
//
// Question: can another thread's write come between two accesses of one location in a block, such
//   that the second one would read another value than the first one saw or left there?
// Source: jPredictor, end of section 5.3 (a monitor for blocks whose events are all of one thread);
//   maximal models, Definition 5, for the contradiction that needs no other run: in one piece, the
//   second access reads what the first one left.
// Where we differ: both values must be certain in the run. So the claim holds of the program, not
//   only of the runs that the trace implies: no execution has the block in one piece with these two
//   values. Violations that span several locations or several blocks are left to
//   predicted_atomicity.h, which asks the maximal model.
// Cost: the questions that BlockQuestions allows, and a replay of each run.
#pragma once

#include <vector>

#include "predict/atomicity/block_set.h"
#include "predict/question/coverage.h"
#include "predict/question/feasibility.h"

namespace sooth::predict {

// `broken`: by block; these are left out, and so is what `findings` has already.
void find_torn_blocks(const BlockSet& set, const Feasibility& feasibility, const std::vector<bool>& broken,
                      BlockFindings& findings, Coverage& coverage);

} // namespace sooth::predict
