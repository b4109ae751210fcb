// Blocks that the recorded run breaks: the first half of atomicity.h, which has the definitions.
//
//     T1 begin, T1 read x = 0, T2 write x = 5, T1 read x = 5, T1 end
//     The block reads 0 and then 5, and writes nothing: its own steps contradict each other.
//
// Question: which blocks does no run have in one piece; and if each can be, is there a run with all
//   of them?
// Source: maximal models, Definition 5, on the recorded run itself.
// Tiers: the conflict graph proves most blocks atomic (linear); a read that contradicts the block's
//   own steps proves the opposite at once (linear); the rest goes to a search (serial_search.h),
//   with a budget.
// Cost: linear, plus a search for up to kMaxBlocks entangled blocks of each name.
#pragma once

#include <vector>

#include "predict/atomicity/block_set.h"
#include "predict/question/coverage.h"

namespace sooth::predict {

// By block: whether it is broken, alone or together with others.
std::vector<bool> find_broken_blocks(const BlockSet& set, BlockFindings& findings, Coverage& coverage);

} // namespace sooth::predict
