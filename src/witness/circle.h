// Does a run tie a block to itself: through conflicts, from the block to other threads and back
// into it?
//
//     1 T1 begin block
//     2 T1 read  x = 0
//     3 T2 write x = 5       conflicts with 2: from the block to T2
//     4 T2 write y = 1
//     5 T1 read  y = 1       conflicts with 4: from T2 back into the block
//     6 T1 end block         a cycle: block, T2, block. Without 5: no cycle
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
