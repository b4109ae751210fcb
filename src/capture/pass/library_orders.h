// Memory orders of the standard library that are too weak.
//
// libstdc++'s std::atomic<std::shared_ptr> has a lock of its own, which a load gives back in
// relaxed order. By the memory model, its read of the pointer races with the next store. Processors
// do not show it, and programs cannot avoid it.
//
// Question: which memory orders of the standard library are weaker than its promises?
// Source: bits/shared_ptr_atomic.h. Its stores release the lock as they should.
// Where we differ: the program is built with the order that the lock needs.
// Cost: a look at the names of functions.
#pragma once

#include "llvm/IR/Function.h"

namespace sooth::pass {

// Before the optimiser. Whether something changed.
bool strengthen_library_orders(llvm::Function& function);

} // namespace sooth::pass
