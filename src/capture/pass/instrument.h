// The pass over one module, as a list of steps.
#pragma once

#include "capture/pass/ignore.h"
#include "capture/pass/module_context.h"
#include "llvm/IR/PassManager.h"

namespace sooth::pass {

// Puts hooks into every function that is not left out, and the tables into the module. Does nothing
// to a module that has been through it (link-time optimisation may come by again). Returns whether
// anything changed.
bool instrument_module(llvm::Module& module, const Options& options, const Selection& selection,
                       llvm::FunctionAnalysisManager& analyses);

// Before anything is optimised: code that is left out must not be inlined into code that is not,
// nor functions of which every call is to be seen; loops get the marks of their annotations; and no
// load may be made that the source does not make.
bool prepare_module(llvm::Module& module, const Options& options, const Selection& selection);

} // namespace sooth::pass
