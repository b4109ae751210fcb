// Loads that the optimiser moved before a branch.
//
//     p = &shared; if (mine) { p = &own; ... } use(*p);
//     LLVM may load *p before the last branch, if the place can always be read. Recorded, that
//     would be a read of `shared` that the source does not make.
//
// Question: which loads stand before a branch although only one of the ways behind it wants them?
// Source: LLVM's replacement of aggregates, which does so for pointers that are merged.
// Where we differ: any load whose value goes nowhere else is moved, so the source's own may be left
//   out as well.
// Cost: one walk over the function's loads.
#pragma once

#include "llvm/IR/Instructions.h"

namespace sooth::pass {

// Whether others could see what it reads.
bool may_be_shared(const llvm::LoadInst& load);
// A value that is computed from the load and does nothing else: looked at where its own uses are.
bool only_passes_on(const llvm::Instruction& user);

// Puts such loads onto the ways that want them. Whether there were any.
bool sink_onto_ways(llvm::Function& function);

} // namespace sooth::pass
