// The inlined check before a hook.
//
// Question: has this thread already kept an access that makes this one superfluous?
// Source: abi.h, "Cells", which says exactly what the inlined code must compute.
// Where we differ: the parts of it that the known alignment decides are decided here.
// Cost: about fifteen instructions on the fast path, no call, no write that another thread sees.
#pragma once

#include "capture/pass/module_context.h"

namespace sooth::pass {

struct CheckedAccess {
  llvm::Value* address; // a pointer
  llvm::Value* value;   // an integer of 8 * size bits
  unsigned size;        // 1, 2, 4 or 8
  llvm::Align align;
  std::uint32_t row;
  llvm::Value* any_row = nullptr; // in the place of `row`, if that is not known here (outlined_check.h)
};

// Inserts the hook of a read or a write before the instruction.
void emit_checked_read(FunctionContext& function, llvm::Instruction* before, const CheckedAccess& access);
void emit_checked_write(FunctionContext& function, llvm::Instruction* before, const CheckedAccess& access);

} // namespace sooth::pass
