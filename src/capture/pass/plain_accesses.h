// Hooks of ordinary loads and stores, and of the intrinsics that copy and fill memory.
#pragma once

#include "capture/pass/module_context.h"
#include "capture/pass/private_memory.h"
#include "llvm/IR/IntrinsicInst.h"

namespace sooth::pass {

void instrument_load(FunctionContext& function, llvm::LoadInst& load, std::uint32_t row);
void instrument_store(FunctionContext& function, llvm::StoreInst& store, std::uint32_t row);

// How a memory intrinsic is recorded, decided before anything is inserted.
struct TransferPlan {
  bool reads = false;  // the source is shared
  bool writes = false; // the destination is shared
};
TransferPlan plan_transfer(PrivateMemory& memory, const llvm::MemIntrinsic& transfer);
// Two rows: of the destination and of the source.
void instrument_transfer(FunctionContext& function, llvm::MemIntrinsic& transfer, TransferPlan plan,
                         std::uint32_t write_row, std::uint32_t read_row);

// llvm.masked.load and llvm.masked.store: each lane that its mask lets through is an access of its
// own.
bool is_masked_access(const llvm::Instruction& instruction);
void instrument_masked(FunctionContext& function, llvm::IntrinsicInst& access, std::uint32_t row);

// An argument passed by value is copied by the call itself: the caller reads the original, and the
// callee's copy begins with what was written there.
void instrument_by_value(FunctionContext& function, llvm::CallBase& call, unsigned argument, std::uint32_t row);
void announce_by_value(FunctionContext& function, llvm::Argument& argument, std::uint32_t row);

} // namespace sooth::pass
