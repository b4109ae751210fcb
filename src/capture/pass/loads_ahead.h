// The question: how does the optimiser stay with the loads that the source makes?
// A load that it makes ahead of its condition is no error of the program, but recorded it would be a race with whoever writes there.
// Source: LLVM's own rule for functions that ThreadSanitizer builds, which most of its passes follow; here the others are kept to it.
// Where we differ: selects of two loads, which ThreadSanitizer's build keeps, become branches again. A load that the source makes
// whatever the condition is, and looks at only under it, is sunk as well: the compiler may leave it out, too.
// Cost: one walk over a function after each time that the optimiser combines instructions.
#pragma once

#include "llvm/IR/Function.h"

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace sooth::pass {

// While it has this mark, a function gets no loads ahead of their conditions. All functions of a module alike, or they could not be
// inlined into each other.
bool forbid_loads_ahead(llvm::Function& function);
void allow_loads_ahead(llvm::Function& function);

// Loads that a marked function looks at only if a select takes them go into branches. Whether there were any.
bool sink_chosen_loads(llvm::Function& function);

// Comparisons of strings stay calls, which end at the first difference: in an array that is long enough, the optimiser would compare all
// of it. Whether there were any.
bool keep_string_comparisons(llvm::Function& function);

// The passes between the first and the last one of ours: they undo what the mark does not forbid, or forbid it otherwise.
void register_loads_ahead(llvm::PassBuilder& builder);

} // namespace sooth::pass
