// A run in which others come between two accesses of a block: does it break the block?
//
//     1 T1 begin block
//     2 T1 read  x = 0
//     3 T2 write x = 5
//     4 T1 (read x)          would see 5: in no order of these events do both reads see the same
//
// Question: does no order of this run's events have the block in one piece? Or, if each block alone
//   can be so, all blocks that overlap with it?
// Source: view serialisability (view_order.h); interleavings.h has the runs.
// Cost: a search for each block that overlaps, and one for all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "predict/atomicity/block_set.h"
#include "predict/question/coverage.h"
#include "predict/question/execution.h"
#include "predict/question/feasibility.h"

namespace sooth::predict {

// Other threads' accesses that come after one access of the block and before another one.
struct Between {
  StepId before = kNoStep; // of the block
  StepId first = kNoStep;  // of the other thread, after it; conflicts with it
  StepId last = kNoStep;   // of the other thread, before `after`; conflicts with it. May be `first`
  StepId after = kNoStep;  // of the block
};

class InterleavedRuns {
public:
  InterleavedRuns(const BlockSet& set, const Feasibility& feasibility, BlockFindings& findings, Coverage& coverage)
      : set_(set), c_(set.computation), feasibility_(feasibility), findings_(findings), coverage_(coverage) {}

  // Judges a run after which the threads of `next` stand before these steps, and do them, in this
  // order: all but the block's own with other values than they saw. Reports it if it breaks the
  // block.
  bool breaks(std::size_t block, const Between& way, std::vector<StepId> run, const char* tier,
              const std::vector<StepId>& next);

  // The step is next, and would read another value than in the trace.
  bool sees_something_else(const Execution& execution, StepId step) const;

private:
  bool judge(std::size_t b, const Between& way, const std::vector<StepId>& run, const char* tier,
             std::vector<StepId> next, bool together);
  // The block's steps from this one on, which is next after the run; nothing if they do not happen
  // as they did.
  std::vector<StepId> rest_of(const Block& block, const std::vector<StepId>& run, StepId from) const;
  // Up to the last step that it has made.
  Part cut(const Block& block, const std::vector<std::uint32_t>& positions, const std::vector<StepId>& next) const;
  // Outermost blocks of the run, over or ended by a read that sees something else, that are
  // entangled with this one: their steps and its, or those of other such blocks, alternate.
  std::vector<std::size_t> overlapping(std::size_t b, const std::vector<StepId>& run,
                                       const std::vector<std::uint32_t>& positions,
                                       const std::vector<StepId>& next) const;
  void report(const Block& block, const Between& way, const std::vector<StepId>& run, const char* tier,
              const std::vector<StepId>& next, const std::vector<std::size_t>& others);
  // Another thread's access inside the block: one of those that were asked for, or any.
  StepId inside_of(const Block& block, const Between& way, const std::vector<StepId>& run,
                   const std::vector<StepId>& next) const;
  // The location's value, also under models that distinguish writes of equal values.
  std::uint32_t now(const Execution& execution, std::uint32_t location) const;

  const BlockSet& set_;
  const Computation& c_;
  const Feasibility& feasibility_;
  BlockFindings& findings_;
  Coverage& coverage_;
};

} // namespace sooth::predict
