// Memory that needs no hooks.
//
//     int a = 0; ++a;             private: its address is never taken
//     int b = 0; f(&b); ++b;      not private: f's accesses are recorded, so ours must be
//
// Question: can another thread, or other instrumented code, ever see this memory?
// Source: escape analysis as every compiler has it.
// Where we differ: an address that is passed to a call counts as escaped even if the callee does
//   not keep it. The callee's accesses are recorded, and a read whose write was left out would look
//   like a change from outside.
// Cost: one walk over the uses of each object, kept; gives up (not private) after kMaxUses uses.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

namespace sooth::pass {

// Thread-local variables of this module whose address stays in their functions. Ask before anything
// is instrumented.
llvm::DenseSet<const llvm::GlobalVariable*> private_thread_locals(const llvm::Module& module);

class PrivateMemory {
public:
  // `fixed_only`: an object counts as private only if all its accesses are at places that are known
  // now. Others are recorded, for their addresses are decisions (trace/static_facts.h).
  explicit PrivateMemory(const llvm::DenseSet<const llvm::GlobalVariable*>& thread_locals, bool fixed_only = false)
      : thread_locals_(thread_locals), fixed_only_(fixed_only) {}

  // Only this activation of the function (or this thread, for thread-local variables) can touch it.
  bool is_private(const llvm::Value* address);
  // It is a variable of this very function, in its frame.
  static bool is_own_frame(const llvm::Value* address);
  // It never changes: constants, tables of virtual functions.
  static bool is_constant(const llvm::Value* address);
  // The objects that the address may lie in, if all of them are private; else empty.
  llvm::SmallVector<const llvm::Value*, 4> private_objects(const llvm::Value* address);

private:
  bool object_is_private(const llvm::Value* object);

  const llvm::DenseSet<const llvm::GlobalVariable*>& thread_locals_;
  const bool fixed_only_;
  llvm::DenseMap<const llvm::Value*, bool> known_;
};

} // namespace sooth::pass
