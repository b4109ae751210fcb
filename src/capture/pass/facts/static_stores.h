// Stores that only ever write static variables.
//
//     ++hits;                      a static variable
//     void add(int& n) { ++n; }    if all calls pass static variables: add(hits)
//     ++box->hits;                 not known: the heap, a stack
//
// Question: which stores cannot go to memory that a thread may own, so that they always have
//   events (docs/sliced.md, "Owned blocks")?
// Source: the underlying object of the address; for a parameter, those of all calls.
// Where we differ: calls in other modules say what they pass, and the reader joins it
//   (trace/program/static_stores.h). A function whose address is taken may be called with anything.
// Cost: one look at each store and each argument that is a pointer.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "capture/pass/facts/block_flows.h"
#include "capture/pass/facts/value_sinks.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace sooth::pass {

class StaticStores {
public:
  void begin(const llvm::Module& module, FunctionNumbers& numbers);
  // Before the hooks are put in.
  void add_function(const llvm::Function& function, const HookedValues& hooks, FunctionNumbers& numbers);

  // Takes away the rows with stores that may go elsewhere, as far as this module knows.
  void keep_static(std::set<std::uint32_t>& rows) const;
  // Of pointers that are passed: the stores through them, where they are passed on; or that they
  // may point anywhere.
  std::map<PassedSlot, Sinks> passed() const;
  // The program may find functions by their names: then nobody knows all calls.
  bool finds_functions() const { return finds_functions_; }

private:
  Sinks& behind(const llvm::Argument& pointer, FunctionNumbers& numbers);
  std::map<PassedSlot, Sinks> closed() const;
  void store(const llvm::StoreInst& store, std::uint32_t row, Slots& slots, FunctionNumbers& numbers);
  void call(const llvm::CallBase& call, Slots& slots, FunctionNumbers& numbers);

  llvm::DenseSet<std::uint32_t> elsewhere_; // rows
  std::map<PassedSlot, Sinks> pointers_;
  std::set<std::uint32_t> known_; // functions that have code here
  bool finds_functions_ = false;
};

} // namespace sooth::pass
