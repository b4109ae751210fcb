// The conflict graph of blocks: if it has no circle, some run that the recorded one is equivalent to has every block in
// one piece.
//
// Question: which blocks might not be serialisable?
// Source: conflict serialisability as in Velodrome: a node for each block, and for each step outside of all blocks; an edge
// from node to node for thread order, conflicting accesses and locks, and the computation's orders, in the observed
// order. Happens-before permutes only what does not conflict (maximal models, Theorem 2), so a
// graph without circles proves every block atomic, locally and globally. A circle proves nothing:
// values may allow what conflicts forbid.
// Cost: linear in steps, operations and orders.
#pragma once

#include <cstdint>
#include <vector>

#include "causality/computation/computation.h"
#include "predict/atomicity/atomic_blocks.h"

namespace sooth::predict {

// Circles of outermost blocks (indices into `blocks`): for each strongly connected component with blocks in it, a
// shortest circle through its first block, then the component's other blocks.
struct Entangled {
  std::vector<std::size_t> circle; // the blocks on it, in its order
  std::vector<std::size_t> blocks; // all of the component, in the observed order
};

std::vector<Entangled> entangled_blocks(const causality::Computation& computation, const std::vector<Block>& blocks);

} // namespace sooth::predict
