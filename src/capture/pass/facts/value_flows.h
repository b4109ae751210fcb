// What becomes of a value that is read: it only flows into stores, or it may decide something.
//
//     x = x + 1;               the load's value only flows into the store
//     if (x == 2) y = 1;       it decides
//     p[x] = 1;  f(x);         it decides: an address, an argument
//
// Question: for each recorded load, does its value go nowhere but into recorded stores that follow
//   in any case? In every build, without an event more (docs/sliced.md, "Classes of sites").
// Source: jPredictor, Definition 3 (data flow), as a forward slice within one basic block: there a
//   store that is reached by the value is also executed.
// Where we differ: everything that cannot be followed to its end decides: another block, a call, an
//   address, a trap, memory without hooks. Stack slots whose address nobody takes are registers, so
//   that code of -O0 has classes, too.
// Cost: linear in instructions (block_flows.h).
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "capture/pass/facts/block_flows.h"
#include "capture/pass/facts/unseen_code.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace sooth::pass {

class ValueFlows {
public:
  void begin(SeenCode seen) { seen_ = std::move(seen); }
  // Before the hooks are put in.
  void add_function(const llvm::Function& function, const HookedValues& hooks);
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
    bool is_update = false;   // an atomic operation whose result nobody uses
    bool out_of_reach = true; // code without hooks cannot read what it writes
    unsigned loads = 0;       // instructions with this row
    std::vector<Target> stores;
  };

  void add(std::uint32_t row, Class of);
  void add_atomic(const llvm::Instruction& atomic, std::uint32_t row);
  bool is_out_of_reach(const llvm::Value* base) const;
  bool is_sure(std::uint32_t row, const Class& of) const;

  std::map<std::uint32_t, Class> classes_;              // by row
  llvm::DenseSet<std::uint32_t> decides_;               // rows
  llvm::DenseMap<std::uint32_t, unsigned> store_count_; // by row: instructions
  SeenCode seen_;
};

} // namespace sooth::pass
