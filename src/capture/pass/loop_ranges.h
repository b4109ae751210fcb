// Loops that are recorded as ranges.
//
//     for (i = 0; i < n; ++i) to[i] = from[i];    one read of from[0..n) before the loop, one write
//                                                 of to[0..n) after it
//     for (i = 0; i < n; i += 2) to[i] = 0;       leaves bytes out: keeps its hooks
//
// Question: which loops only walk over ranges of memory that are known before they start?
// Source: scalar evolution (chains of recurrences), as LLVM computes it for its own loop
//   optimisations.
// Where we differ: LLVM asks what a walk touches at most. Here the range must be exactly what the
//   loop touches, byte for byte, since it is recorded instead of the accesses (abi.h, SoothLoop).
// Cost: a few looks at each access of an innermost loop.
// Gives up: a loop keeps its hooks if anything but plain accesses happens in it, if an access is
//   not made in every iteration, if a walk leaves bytes out, and for writes to global variables, of
//   which every single one must be kept.
#pragma once

#include "capture/pass/module_context.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/PassManager.h"

namespace sooth::pass {

// Gives every loop that may qualify a block of its own before it and one after it. Comes before
// anything is decided about the function.
void prepare_loops(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

// Finds the loops, and announces their ranges around them. `hooked`: the rows of the loads, stores
// and branches that are to have hooks. Returns those that need none now. Comes before any hook is
// put in.
llvm::DenseSet<const llvm::Instruction*>
announce_loops(ModuleContext& context, llvm::Function& function, llvm::FunctionAnalysisManager& analyses,
               const llvm::DenseMap<const llvm::Instruction*, std::uint32_t>& hooked);

} // namespace sooth::pass
