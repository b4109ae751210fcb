// Inline assembly.
//
//     asm volatile("pause")                              harmless: only waits
//     asm volatile("lock; xchgl %0, %1" ... : "memory")  reported when it runs: it may be a lock
//
// Question: may this inline assembly synchronise threads, or change memory that others see?
// Source: the constraints that the program states; LLVM itself knows no more.
// Where we differ: not every assembly counts as dangerous. Code that only works on registers, and
//   instructions that only wait, order or measure (pause, fences, rdtsc), are harmless by
//   themselves. Anything else that touches memory is reported when it runs: otherwise a lock made
//   of assembly would look like no lock at all.
// Cost: a look at the text.
#pragma once

#include "capture/pass/module_context.h"
#include "llvm/IR/InstrTypes.h"

namespace sooth::pass {

bool is_opaque_assembly(const llvm::CallBase& call);
// Tells the runtime, before it.
void instrument_assembly(FunctionContext& function, llvm::Instruction& call);

} // namespace sooth::pass
