// What becomes of a value that is read: it only flows into stores, or it may decide something.
//
//     x = x + 1;               the load's value only flows into the store
//     if (x == 2) y = 1;       it decides
//     p[x] = 1;  f(x);         it decides: an address, an argument
//
// Question: for each recorded load, does its value go nowhere but into recorded stores that follow
//   in any case? In every build, without an event more (docs/sliced.md, "Classes of sites").
// Source: jPredictor, Definition 3 (data flow), as a forward slice, twice: within one basic block,
//   where a store that is reached by the value is also executed (block_flows.h), and through the
//   whole function and its calls, with all stores that the value may ever reach (value_sinks.h).
// Where we differ: everything that cannot be followed to its end decides: a branch, an address, a
//   trap, a call of code without a body, memory without hooks. Stack slots whose address nobody
//   takes are registers, so that code of -O0 has classes, too.
// Cost: linear in instructions, times at most kMostValues of value_sinks.cc.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "capture/pass/facts/block_flows.h"
#include "capture/pass/facts/static_stores.h"
#include "capture/pass/facts/unseen_code.h"
#include "capture/pass/facts/value_sinks.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace sooth::pass {

class ValueFlows {
public:
  void begin(SeenCode seen, const llvm::Module& module);
  // Before the hooks are put in.
  void add_function(const llvm::Function& function, const HookedValues& hooks, PrivateMemory& memory);
  // The section kFactFlows (trace/format.h).
  std::vector<std::uint32_t> words() const;

private:
  struct Target {
    std::uint32_t row = 0;
    bool same_bytes = false; // writes the bytes that the load read; else an address that is fixed in its activation
    friend auto operator<=>(const Target&, const Target&) = default;
  };
  struct Class { // of a row with loads
    std::uint32_t bytes = 0;
    bool is_update = false;     // an atomic operation
    bool out_of_reach = true;   // code without hooks cannot read what it writes
    unsigned loads = 0;         // instructions with this row
    std::vector<Target> stores; // of its block; empty: not known
    Sinks sinks;
  };

  void add(std::uint32_t row, Class of);
  void add_load(const llvm::LoadInst& load, std::uint32_t row, const Flow* flow, BlockFlows& flows,
                const HookedValues& hooks, ValueSinks& sinks);
  void add_atomic(const llvm::Instruction& atomic, std::uint32_t row, ValueSinks& sinks);
  void add_passed(const llvm::Function& function, ValueSinks& sinks);
  bool is_out_of_reach(const llvm::Value* base) const;
  bool is_sure(const Class& of) const;
  std::set<std::uint32_t> static_rows() const; // that some value may reach (trace/program/static_stores.h)

  std::map<std::uint32_t, Class> classes_; // by row
  std::map<PassedSlot, Sinks> passed_;
  FunctionNumbers numbers_;
  llvm::DenseSet<std::uint32_t> decides_;               // rows
  llvm::DenseMap<std::uint32_t, unsigned> store_count_; // by row: instructions
  StaticStores static_stores_;
  SeenCode seen_;
};

} // namespace sooth::pass
