// Atomicity of blocks: observed and predicted, of each block and of all together.
//
//     T1 (block): read balance = 0                       write balance = 1
//     T2:                           write balance = 5                         T2's update is lost
//     No order of these events with the same values has T1's block in one piece.
//
// Question: does a run break a block, alone or together with others?
// Source: view serialisability, of the blocks that a run has; with the runs of the model (maximal
//   models, section 3). A run breaks a block if no order of all its events, in which reads see the
//   values that they saw and memory is the same at the end, has the block in one piece. It breaks
//   several together if no such order has all of them so.
//     observed   the recorded run breaks it
//     predicted  another run that the model knows breaks it. A run may end, in one thread, with a
//                read that sees another value than in the recorded run; a block that ends there
//                counts up to that read
// Where we differ: unlike in conflict serialisability, values decide what is atomic. `no` has to be
//   proved; a block that is neither proved nor refuted is undecided. A block without an end in the
//   trace does not count; one inside another is looked at on its own, too.
// Cost: that of its parts: observed_atomicity.h, interleavings.h, predicted_atomicity.h,
//   torn_blocks.h.
//
// AtomicityRule::Definition5 has instead, for comparison, the letter of maximal models, Definition
// 5. With T the recorded run and feasible(T) its feasibility closure (runs and prefixes of runs,
// under the maximal model):
//     observed, local    no run in feasible(T) has the block in one piece
//     observed, global   each block can be in one piece, but no run in feasible(T) contains all
//                        blocks with each in one piece
//     predicted, local   some run in feasible(T) reaches a read of the block that would see another
//                        value than in T, after another thread's write inside the block; and no run
//                        in feasible(T) has the block's steps up to that read, with that value, in
//                        one piece
//     predicted, global  the same, where that one block can be in one piece, but not together with
//                        all blocks that the run has completed, each in one piece
// There a run may leave out what other threads do: an overwritten update is a violation only if
// reads in blocks prove it. `full` has more runs than the closure: torn_blocks.h says which of them
// break a block for certain. Both rules ask only that of `sliced`.
//
// Places: begin and end of the block, the event inside it (Role::Interleaved), of a predicted one
//   an access of the block after it (Role::Access); then, if several blocks are entangled, begins
//   and ends of the others. Observed: the witness is the recorded run; predicted: it ends with the
//   block, or before a read that sees another value.
#pragma once

#include <string>
#include <vector>

#include "causality/computation/computation.h"
#include "predict/atomicity/block_set.h"
#include "predict/question/coverage.h"
#include "predict/question/feasibility.h"
#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::predict {

// Whether the pattern fits the name of some function of the trace.
bool names_function(const trace::Trace& trace, const std::string& pattern);

// `functions`: patterns of functions whose calls are blocks, besides the marked ones.
std::vector<witness::Finding> find_atomicity(const trace::Trace& trace, const causality::Computation& computation,
                                             const Feasibility& feasibility, const Limits& limits, Coverage& coverage,
                                             const std::vector<std::string>& functions = {},
                                             AtomicityRule rule = AtomicityRule::View);

} // namespace sooth::predict
