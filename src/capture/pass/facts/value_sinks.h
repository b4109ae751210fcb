// All places that a value may reach in its function.
//
//     int sum = 0;
//     for (int i = 0; i < n; ++i) sum += a[i];      the load of a[i] goes round the loop,
//     total = sum + bonus(sum);                     into the store, and to a parameter of bonus
//
// Question: into which recorded stores, to which parameters and results may a value go, and may it
//   decide anything?
// Source: the uses of SSA values, through phis and selects and through memory that is not recorded
//   (private_memory.h). Blocks do not count: all uses that any path has.
// Where we differ: what a function does with its parameters and what its callers do with its result
//   are questions of their own. The reader joins the answers of all modules
//   (trace/program/value_flows.h), so calls across translation units count, too.
// Cost: each value costs the uses that it leads to, at most kMostValues; beyond that it decides.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <set>

#include "capture/pass/facts/block_flows.h"
#include "capture/pass/facts/unseen_code.h"
#include "capture/pass/private_memory.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"

namespace sooth::pass {

// A parameter of a function, or its result.
struct PassedSlot {
  std::uint32_t function = 0; // a number of the module's
  std::uint32_t slot = 0;     // 0: the result; n + 1: parameter n
  friend auto operator<=>(const PassedSlot&, const PassedSlot&) = default;
};

struct Sinks {
  std::set<std::uint32_t> stores; // rows
  std::set<PassedSlot> slots;
  bool decides = false;
  bool printed = false;

  void add(const Sinks& other);
};

// Numbers of functions, in the order in which they are met.
class FunctionNumbers {
public:
  std::uint32_t of(const llvm::Function& function);
  const llvm::SmallVector<const llvm::Function*, 0>& all() const { return all_; }

private:
  llvm::DenseMap<const llvm::Function*, std::uint32_t> numbers_;
  llvm::SmallVector<const llvm::Function*, 0> all_;
};

class ValueSinks {
public:
  ValueSinks(const llvm::Function& function, const HookedValues& hooks, PrivateMemory& memory, const SeenCode& seen,
             FunctionNumbers& numbers)
      : function_(function), hooks_(hooks), memory_(memory), seen_(seen), numbers_(numbers) {}

  Sinks of(const llvm::Value& value);

private:
  using Loads = llvm::SmallVector<const llvm::LoadInst*, 4>;
  void use(const llvm::Use& use, Sinks& sinks);
  void store(const llvm::StoreInst& store, const llvm::Value& value, Sinks& sinks);
  void store_atomically(const llvm::Instruction& atomic, std::uint32_t row, const llvm::Use& use, Sinks& sinks);
  void pass(const llvm::CallBase& call, const llvm::Use& use, Sinks& sinks);
  void follow(const llvm::Value& value);
  const std::optional<Loads>& loads_of(const llvm::Value& object);

  const llvm::Function& function_;
  const HookedValues& hooks_;
  PrivateMemory& memory_;
  const SeenCode& seen_;
  FunctionNumbers& numbers_;
  llvm::DenseMap<const llvm::Value*, std::optional<Loads>> loads_; // of private objects; none: something else reads it
  llvm::SmallVector<const llvm::Value*, 16> open_;                 // of the value that is asked about
  llvm::DenseSet<const llvm::Value*> met_;
};

} // namespace sooth::pass
