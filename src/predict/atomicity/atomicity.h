// Atomicity of blocks: observed and predicted, of each block and of all together.
//
// Question: does a block see what it can see in no run in which nobody comes between its steps?
// Source: maximal models, Definition 5. With T the recorded run, feasible(T) its feasibility
// closure (runs and prefixes of runs, under the maximal model) and a block the steps of one thread
// from its begin to its end:
//   observed, local   no run in feasible(T) has the block in one piece
//   observed, global  each block can be in one piece, but no run in feasible(T) contains all blocks with each in one piece
//   predicted, local  some run in feasible(T) reaches a read of the block that would see another value than in T, after
//                     another thread's write inside the block; and no run in feasible(T) has the block's steps up to
//                     that read, with that value, in one piece
//   predicted, global the same, where that one block can be in one piece, but not together with all blocks that the run
//                     has completed, each in one piece
// A run may leave out what other threads do, as in the definition: an update that is overwritten is a violation only if
// somebody's reads, in blocks, prove it. A block without an end is none; one inside another is looked at on its own, too.
// Where we differ from conflict serialisability: what the values allow is atomic. `no` has to be proved, always under
// the maximal model, whatever model the runs are asked of; what is neither proved nor refuted is undecided. `full` has more runs
// than the closure: torn_blocks.h says which of them break a block for certain. Of `sliced` only that is asked.
// Cost: that of its parts: observed_atomicity.h, predicted_atomicity.h, torn_blocks.h.
//
// Places: begin and end of the block, the event inside it (Role::Interleaved), of a predicted one the read (Role::Access);
// then, if several blocks are entangled, begins and ends of the others. Observed: the witness is the recorded run; predicted: its `next`
// is the read.
#pragma once

#include <string>
#include <vector>

#include "causality/computation/computation.h"
#include "predict/question/coverage.h"
#include "predict/question/feasibility.h"
#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::predict {

// `functions`: patterns of functions whose calls are blocks, besides the marked ones.
std::vector<witness::Finding> find_atomicity(const trace::Trace& trace, const causality::Computation& computation,
                                             const Feasibility& feasibility, const Limits& limits, Coverage& coverage,
                                             const std::vector<std::string>& functions = {});

} // namespace sooth::predict
