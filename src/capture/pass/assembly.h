// The question: may this inline assembly synchronise threads, or change memory that others see?
// Source: the constraints that the program states; LLVM itself knows no more.
// Where we differ from taking every assembly for dangerous: what only works on registers, and instructions that only wait, order or
// measure (pause, fences, rdtsc), are harmless by themselves. Anything else that touches memory is told when it runs: a lock made of
// assembly would otherwise look like no lock at all.
// Cost: a look at the text.
#pragma once

#include "capture/pass/module_context.h"
#include "llvm/IR/InstrTypes.h"

namespace sooth::pass {

bool is_opaque_assembly(const llvm::CallBase& call);
// Tells the runtime, before it.
void instrument_assembly(FunctionContext& function, llvm::Instruction& call);

} // namespace sooth::pass
