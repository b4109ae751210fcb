// The inlined check (inline_check.h) as a function that is called: for accesses outside of loops,
// which are most of a program's code and little of its time. There the check's instructions and
// blocks would cost the compiler more than the whole program does.
// Cost: a call, and some saved registers: about five cycles more than the inlined check.
#pragma once

#include "capture/pass/inline_check.h"

namespace sooth::pass {

// Inserts the call before the instruction.
void call_checked_read(FunctionContext& function, llvm::Instruction* before, const CheckedAccess& access);
void call_checked_write(FunctionContext& function, llvm::Instruction* before, const CheckedAccess& access);
// The function makes the store, too, and says when it is over.
void call_checked_store(FunctionContext& function, llvm::Instruction* before, const CheckedAccess& access);

} // namespace sooth::pass
