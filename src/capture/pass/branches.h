// Branches that depend on shared memory.
//
//     if (shared > 0) ...        a hook before the branch
//     for (i = 0; i < 10; ++i)   none: no shared value decides it
//
// Question: which branches does a value from shared memory decide?
// Source: control dependence as sliced causality needs it (jPredictor); here only its local half.
// Where we differ: a value is followed through the function's private memory without regard to
//   order, and parameters and results of calls count as loaded, since their sources are not seen
//   from here.
// Cost: a few passes over the function; more than kMaxRounds: every branch counts.
#pragma once

#include "capture/pass/module_context.h"
#include "capture/pass/private_memory.h"
#include "llvm/ADT/DenseSet.h"

namespace sooth::pass {

// Branches and switches whose way depends on a load in `recorded`, on a parameter or on the result
// of a call.
std::vector<llvm::Instruction*> dependent_branches(llvm::Function& function, PrivateMemory& memory,
                                                   const llvm::DenseSet<const llvm::Instruction*>& recorded);

void instrument_branch(FunctionContext& function, llvm::Instruction& terminator, std::uint32_t row);

// With static facts: every branch and switch that has a choice at run time is an event, so that it
// can be a control parent. So are other decisions (trace/static_facts.h), which go only one way.
std::vector<llvm::Instruction*> all_branches(llvm::Function& function);
void instrument_decision(FunctionContext& function, llvm::Instruction& instruction, std::uint32_t row);

} // namespace sooth::pass
