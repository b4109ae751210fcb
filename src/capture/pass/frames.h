// The shadow call stack (abi.h): which function was called from where, kept in step with the real
// stack.
#pragma once

#include "capture/pass/module_context.h"

namespace sooth::pass {

// Enters a frame at the function's start and leaves it at every return. Repairs it where control
// comes back after frames above were left without returning: landing pads, calls that return twice.
// Not for a coroutine before it is split: it has no frame that lasts.
void instrument_frame(FunctionContext& function, std::uint32_t row);

// Passes the site of the call to the callee.
void instrument_call(FunctionContext& function, llvm::CallBase& call, std::uint32_t row);
// Calls that other code can be behind: not intrinsics, not assembly, not our own hooks.
bool is_real_call(const llvm::CallBase& call);
// Calls of the public headers' functions that are events of the program: they, too, need their call
// site.
bool is_annotation(const llvm::CallBase& call);

} // namespace sooth::pass
