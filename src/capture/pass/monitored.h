// Instrumentation for monitors (`--monitor FILE`): hooks only for accesses that formulas can see.
//
//     monitor datarace on x
//     x = 1, *p = 1       compare the address with the range of the named variables, and call a
//                         hook if it is in it
//     y = 1               no hook: cannot be x
//
// Question: which accesses can the formulas of a property file see?
// Source: the names in the file (logic/monitor_needs.h). Their meaning is not known yet; so too
//   much may be instrumented, never too little. The pass notes what it left out (trace/format.h,
//   NameKind), and the notes are checked when the names are looked up; the runtime knows the
//   addresses.
// Where we differ: an ordinary build keeps every access. Here an access that cannot be of a named
//   variable has no hook; any other compares its address with the range that holds them all
//   (abi.h).
// Cost: two loads, a subtraction and a comparison for each access that is left.
#pragma once

#include <cstdint>

#include "capture/pass/module_context.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Instructions.h"

namespace sooth::pass {

// The part of this module's memory that formulas can see. Make it before the first hook is put in:
// hooks use addresses, too.
class Sight {
public:
  Sight(const llvm::Module& module, const MonitorNeeds& needs);

  bool is_unseen(const llvm::Value* address) const;
  // Variables that no formula names and only direct accesses can reach: these have no hooks.
  bool is_unseen(const llvm::GlobalVariable& variable) const { return unseen_.contains(&variable); }
  // If formulas name only variables of this module that only direct accesses can reach: these
  // variables. No pointer leads to them, and accesses through pointers have no hooks.
  bool is_unreached(const llvm::GlobalVariable& variable) const { return unreached_.contains(&variable); }

private:
  llvm::DenseSet<const llvm::GlobalVariable*> unseen_;
  llvm::DenseSet<const llvm::GlobalVariable*> unreached_; // empty: some name may stand for what a pointer leads to
};

// Accesses up to this size that reach into the range are seen by looking at where they begin.
bool is_in_reach(std::uint64_t size);
// i1: an access at this address may be of a named variable.
llvm::Value* emit_near(ModuleContext& context, Builder& at, llvm::Value* address);
// The end of a block that runs only if it is, before `before`.
llvm::Instruction* emit_if_near(ModuleContext& context, llvm::Instruction* before, llvm::Value* address);

// Loads and stores of 1, 2, 4 and 8 bytes: the hook makes them if they may be of a named variable.
// False: not such a type.
bool instrument_monitored_load(FunctionContext& function, llvm::LoadInst& load, std::uint32_t row);
bool instrument_monitored_store(FunctionContext& function, llvm::StoreInst& store, std::uint32_t row);

// At the function's entry, as long as the runtime wants to know where the thread starts.
void instrument_start(FunctionContext& function, std::uint32_t row);

} // namespace sooth::pass
