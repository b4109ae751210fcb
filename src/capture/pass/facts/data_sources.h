// Where values come from.
//
//     a = shared; b = a + k; other = b;      the store's value: {the load of shared, parameter k}
//
// Question: which loads, parameters, call results and branches does a value come from?
// Source: jPredictor, Definition 3, case 1 (data-flow dependence inside a thread), as a backward
//   slice over SSA values.
// Where we differ: a value from recorded memory is a source by itself, for the trace knows the
//   rest. Only unrecorded memory (private_memory.h) is followed here, as the union of all that is
//   ever stored in the object. A value that goes round a loop depends on every instance of its
//   sources. Otherwise it depends on the latest instance: a definition dominates its uses, and a
//   chain of them that takes no retreating edge cannot pass a source twice without passing the
//   value itself.
// Cost: sets that grow until nothing changes; gives up (everything is unknown) above kMostWork.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "capture/pass/facts/call_effects.h"
#include "capture/pass/facts/control_dependence.h"
#include "capture/pass/private_memory.h"
#include "trace/format.h"
#include "llvm/ADT/SparseBitVector.h"
#include "llvm/IR/IntrinsicInst.h"

namespace sooth::pass {

struct FactSource {
  trace::SourceKind kind = trace::SourceKind::Unknown;
  bool every = false;
  std::uint32_t index = 0;
  friend auto operator<=>(const FactSource&, const FactSource&) = default;
};
using FactSources = std::vector<FactSource>; // ascending

// The rows of a function's hooks. An instruction without a row is not recorded.
struct HookRows {
  llvm::DenseMap<const llvm::Instruction*, std::uint32_t> access;      // loads, stores, atomics, masked, transfers
  llvm::DenseMap<const llvm::Instruction*, std::uint32_t> copied_from; // transfers of which only the read is recorded
  llvm::DenseMap<const llvm::CallBase*, std::uint32_t> call;
  llvm::DenseMap<std::pair<const llvm::CallBase*, unsigned>, std::uint32_t> by_value;
  llvm::DenseMap<const llvm::Instruction*, std::uint32_t> decision; // branches, traps
};

class DataSources {
public:
  DataSources(llvm::Function& function, PrivateMemory& memory, const HookRows& rows, const CallEffects& effects,
              const ControlDependence& control);

  using Set = llvm::SparseBitVector<>;
  // Sources of a value.
  Set of(const llvm::Value* value) const;
  // Of what lies behind an address that is not recorded.
  Set contents(const llvm::Value* address) const;
  // Of argument `number`; what a call copies by value included.
  Set argument(const llvm::CallBase& call, unsigned number) const;
  // Of what the function returns.
  Set returned(const llvm::Function& function) const;
  Set load_at(std::uint32_t row, bool every) const;
  FactSources list(const Set& set) const;

private:
  unsigned number_of(const FactSource& source) const;
  bool visit(const llvm::Instruction& instruction);
  bool store(const llvm::Value* address, const Set& value, const llvm::Instruction& by);
  Set result(const llvm::Instruction& instruction) const;
  Set phi(const llvm::PHINode& phi) const;
  Set every(const Set& set) const;
  Set operands(const llvm::Instruction& instruction) const;
  Set branches_before(const llvm::Instruction& instruction, bool every) const;
  Set unknown() const { return one({}); }
  Set one(const FactSource& source) const {
    Set set;
    set.set(number_of(source));
    return set;
  }

  PrivateMemory& memory_;
  const HookRows& rows_;
  const CallEffects& effects_;
  const ControlDependence& control_;
  llvm::DenseSet<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>> retreating_;
  // Sources get numbers as they are met: 2n for the latest instance, 2n + 1 for every one.
  mutable std::vector<FactSource> sources_;
  mutable llvm::DenseMap<std::pair<unsigned, unsigned>, unsigned> numbers_;
  llvm::DenseMap<const llvm::Value*, Set> sets_;     // of instructions
  llvm::DenseMap<const llvm::Value*, Set> contents_; // of private objects
  bool gave_up_ = false;
};

} // namespace sooth::pass
