// The conflict graph of blocks. If it has no cycle, some run that is equivalent to the recorded one
// has every block in one piece.
//
//     T1 begin A, T1 read x, T2 write x (outside of blocks), T1 write x, T1 end A
//     edges: A -> T2's write (read, then write), T2's write -> A (write, then write): a cycle
//
// Question: which blocks might not be serialisable?
// Source: conflict serialisability as in Velodrome: a node for each block, and for each step
//   outside of all blocks; an edge from node to node for thread order, conflicting accesses and
//   locks, and the computation's orders, in the observed order. Happens-before permutes only what
//   does not conflict (maximal models, Theorem 2), so a graph without cycles proves every block
//   atomic, locally and globally. A cycle proves nothing: values may allow what conflicts forbid.
// Cost: linear in steps, operations and orders.
#pragma once

#include <cstdint>
#include <vector>

#include "causality/computation/computation.h"
#include "predict/atomicity/atomic_blocks.h"

namespace sooth::predict {

// Cycles of outermost blocks (indices into `blocks`): for each strongly connected component with
// blocks in it, a shortest cycle through its first block, then the component's other blocks.
struct Entangled {
  std::vector<std::size_t> circle;      // the blocks on it, in its order
  std::vector<std::size_t> blocks;      // all of the component, in the observed order
  std::vector<causality::StepId> steps; // all of the component, those outside of blocks, too
};

std::vector<Entangled> entangled_blocks(const causality::Computation& computation, const std::vector<Block>& blocks);

} // namespace sooth::predict
