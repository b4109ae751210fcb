// Variables that the optimiser may keep in a register.
//
//     while (...) if (rare) ++shared;    LLVM would load `shared` before the loop and store it
//                                        after it. Recorded, that load would be a race that the
//                                        source does not have
//
// Question: which variables of a loop may the optimiser keep in a register?
// Source: LLVM's loop-invariant code motion asks of such a load only that the place can be read.
// Where we differ: the variable must be accessed in each iteration, or it stays in memory. To
//   achieve that, stores of other variables are atomic ones in LLVM's weakest order while that pass
//   looks at the loop: it never combines these with plain loads.
// Cost: a walk over the loop for each variable that it stores under a condition.
#pragma once

namespace llvm {
class PassInstrumentationCallbacks;
} // namespace llvm

namespace sooth::pass {

void keep_conditional_variables_in_memory(llvm::PassInstrumentationCallbacks& passes);

} // namespace sooth::pass
