// Atomic instructions become calls of the runtime, which does the operation and takes its ticket as
// one step.
#pragma once

#include "capture/pass/module_context.h"

namespace sooth::pass {

// An atomic operation between threads that the runtime has a hook for. Not those that only order a
// thread with its own signal handlers, nor misaligned or oversized ones, which the compiler turns
// into calls of libatomic.
bool is_followed_atomic(const ModuleContext& context, const llvm::Instruction& instruction);
// The memory that it touches; null for a fence.
const llvm::Value* atomic_address(const llvm::Instruction& instruction);
llvm::Type* atomic_type(const llvm::Instruction& instruction);

// Replaces (or, for a fence, precedes) the instruction.
void instrument_atomic(FunctionContext& function, llvm::Instruction& instruction, std::uint32_t row);

} // namespace sooth::pass
