// The flows of loaded values within one basic block.
//
//     %0 = load x;  %1 = %0 + 1;  store x, %1      the load flows into the store
//     %0 = load x;  %1 = %0 == 2;  br %1           it decides
//
// Question: into which recorded stores does a load's value go, if it goes nowhere else?
// Source: value_flows.h.
// Cost: each load costs the uses of its value, at most kMostValues of them, and the instructions
//   from it to its last store, at most kMostBetween.
#pragma once

#include <cstdint>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace sooth::pass {

// The hooks of a function, as far as classes need them: by instruction, the row.
struct HookedValues {
  llvm::DenseMap<const llvm::Instruction*, std::uint32_t> loads, stores; // plain, one event each
  llvm::DenseMap<const llvm::Instruction*, std::uint32_t> atomics;
  llvm::DenseMap<const llvm::Instruction*, std::uint32_t> calls; // the library may read memory for them
  std::vector<std::uint32_t> others;                             // rows of which other events may read memory
};

// Stack slots that could be registers: only whole loads and stores.
class Slots {
public:
  // The slot at this address, or null.
  const llvm::AllocaInst* of(const llvm::Value* address);
  // The store of a slot that is stored once.
  static const llvm::StoreInst* only_store(const llvm::AllocaInst& slot);

private:
  llvm::DenseMap<const llvm::AllocaInst*, bool> known_;
};

// The user's result is computed from the operands and from nothing else, whatever they are.
bool only_computes(const llvm::Instruction& user, const llvm::Value& operand);

struct Address {
  const llvm::Value* base = nullptr;
  std::int64_t offset = 0;
  friend bool operator==(const Address&, const Address&) = default;
  // The same whenever this activation computes it.
  bool is_fixed() const;
};

struct Flow {
  const llvm::LoadInst* load = nullptr;
  llvm::SmallVector<const llvm::StoreInst*, 4> stores;
};

class BlockFlows {
public:
  BlockFlows(const llvm::Function& function, const HookedValues& hooks)
      : layout_(function.getParent()->getDataLayout()), hooks_(hooks) {}

  // Of the loads of the block that do not decide.
  std::vector<Flow> of(const llvm::BasicBlock& block);
  std::uint32_t bytes_of(const llvm::LoadInst& load) const;
  // A load of a number, of at most 8 bytes.
  bool is_plain(const llvm::LoadInst& load) const;
  // As it is computed in this block.
  Address address_of(const llvm::Value* pointer, const llvm::BasicBlock& block, unsigned depth = 0);

private:
  using Values = llvm::DenseSet<const llvm::Value*>;
  using Known = llvm::DenseMap<const llvm::LoadInst*, llvm::SmallVector<const llvm::StoreInst*, 4>>;
  bool follow(Flow& flow);
  bool follow_slot(const llvm::StoreInst& store, llvm::SmallVectorImpl<const llvm::Value*>& open, Values& seen);
  bool nothing_between(Flow& flow, const Known& later);
  bool may_be_same(const llvm::LoadInst& a, const llvm::LoadInst& b, const llvm::BasicBlock& block);

  const llvm::DataLayout& layout_;
  const HookedValues& hooks_;
  Slots slots_;
};

} // namespace sooth::pass
