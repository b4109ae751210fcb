// Runs that are made of another one: some threads stop earlier, or go on to the ends of their
// blocks.
//
//     1 T1 begin block
//     2 T1 read  x = 0
//     3 T2 write x = 5
//     4 T2 write x = 0      restores what T1 saw
//     5 T1 (read x)         stands before it
//     Without the writes after 3, the run 1 2 3: T1's next read sees 5.
//
// Question: is the changed run still one that the model allows? Every step is asked of Execution; a
//   thread whose step is not allowed any more stops before it.
// Cost: one replay; `shortest` one for each thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "predict/atomicity/block_set.h"
#include "predict/question/execution.h"

namespace sooth::predict {

Execution after(const Index& index, std::span<const StepId> run);

// After `write`, threads other than the reader's stop before a step that `restores` what the reader
// is to see. The run as it is, if the reader needs them.
std::vector<StepId> without_writes_after(const Index& index, const std::vector<StepId>& run, StepId write,
                                         StepId reader, const std::function<bool(StepId)>& restores);

// Without the threads that the question does not need: the fewer events, the fewer orders.
std::vector<StepId> shortest(const Index& index, std::vector<StepId> run, const Question& question);

inline constexpr std::uint32_t kAllThreads = 0xffffffff;

// Threads that are inside blocks go on to their ends, in the observed order, as far as they can;
// those that stand do not. True if some thread moved.
bool complete_blocks(const BlockSet& set, const Index& index, std::vector<StepId>& run,
                     std::span<const std::uint32_t> standing, std::uint32_t only = kAllThreads);

} // namespace sooth::predict
