// Does a run tie a block to itself: through conflicts, from the block to other threads and back
// into it?
//
//     T1 (block) read x, T2 write x, T1 (block) write x: from the block to T2's write, and back
//
// A run that no other order of its events can replace by one with the block in one piece has such a
// cycle (conflict serialisability is sufficient for view serialisability). The checker asks for the
// cycle; that values leave no way around it is the engine's word.
#pragma once

#include "witness/facts.h"
#include "witness/finding.h"

namespace sooth::witness::checking {

// The first block that the finding names; further ones that it names count as one step each.
bool comes_back_into_block(const Finding& finding, const Facts& facts);

} // namespace sooth::witness::checking
