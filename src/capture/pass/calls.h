// Functions of which every call and every return is an event, because a property names them
// (-fsooth-property), or because they are meant to be atomic (-fsooth-atomic).
//
// Otherwise a call is known only from recorded events inside it, and an inlined one not at all.
// Marked functions are not inlined, their calls are not optimised away, and their frames are
// recorded at once (abi.h: __sooth_called).
#pragma once

#include <string>
#include <vector>

#include "capture/pass/ignore.h"
#include "llvm/IR/Function.h"

namespace sooth::pass {

// Before anything is optimised: marks the functions of these names (without scopes and template
// arguments; "*": all but those in system headers), and those whose whole names, with or without
// parameters, fit one of the globs. Returns whether there was one.
bool mark_called(llvm::Module& module, const IgnoreList& ignored, const std::vector<std::string>& names,
                 const std::vector<std::string>& globs);

bool is_marked(const llvm::Function& function);

// After it: takes out what kept the optimiser from seeing through the function.
void remove_anchor(llvm::Function& function);

} // namespace sooth::pass
