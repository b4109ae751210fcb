// Stops the optimiser from inventing speculative loads.
//
//     if (mine) x = shared;       the optimiser may load `shared` before the test, and select. The
//                                 program stays right, but recorded, that load would race with a
//                                 writer of `shared`
//
// Question: how does the optimiser keep to the loads that the source makes?
// Source: LLVM's own rule for functions that ThreadSanitizer builds, which most of its passes
//   follow; here the others are made to follow it.
// Where we differ: selects of two loads, which ThreadSanitizer's build keeps, become branches
//   again. A load that the source always makes, and uses only under a condition, is sunk as well:
//   the compiler may leave it out, too.
// Cost: one walk over a function after each time that the optimiser combines instructions.
#pragma once

#include "llvm/IR/Function.h"

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace sooth::pass {

// With this mark, a function gets no loads ahead of their conditions. All functions of a module
// alike, or they could not be inlined into each other.
bool forbid_loads_ahead(llvm::Function& function);
void allow_loads_ahead(llvm::Function& function);

// Moves loads that a marked function uses only if a select takes them into branches. Returns
// whether there were any.
bool sink_chosen_loads(llvm::Function& function);

// Comparisons of strings stay calls, which end at the first difference: in an array that is long
// enough, the optimiser would compare all of it. Returns whether there were any.
bool keep_string_comparisons(llvm::Function& function);

// The passes between the first and the last one of ours: they undo what the mark does not forbid,
// or forbid it otherwise.
void register_loads_ahead(llvm::PassBuilder& builder);

} // namespace sooth::pass
