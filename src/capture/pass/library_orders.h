// The question: which memory orders of the standard library are weaker than what it promises?
// libstdc++'s std::atomic<std::shared_ptr> has a lock of its own, which a load gives back in relaxed order: by the memory model, its read of
// the pointer races with the next store. Processors do not show it, and no program can help it.
// Source: bits/shared_ptr_atomic.h. Its stores release the lock as they should.
// Where we differ: the program is built with the order that the lock needs.
// Cost: a look at the names of functions.
#pragma once

#include "llvm/IR/Function.h"

namespace sooth::pass {

// Before the optimiser. Whether something changed.
bool strengthen_library_orders(llvm::Function& function);

} // namespace sooth::pass
