// Effects of calls.
//
//     strlen(s)        in the table: known, and it does not talk to the world
//     printf(...)      in the table: known, and it talks to the world
//     f(&x)            unknown body: may do anything
//
// Question: what may this call do to memory, may it never return, and does it talk to the world or
//   to other threads?
// Source: purity annotations of jPredictor, section 4.1 (there for Java methods); here `pure` and
//   `const` attributes, what LLVM infers of bodies, and a table of the C library
//   (libc_functions.def).
// Where we differ: nothing is taken on trust but the table and the source's own attributes;
//   anything unknown may do anything.
// Cost: one walk over each body that is asked about, kept.
#pragma once

#include <optional>

#include "trace/format.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/PassManager.h"

namespace sooth::pass {

// It has no body here, and libc_functions.def says what it does.
bool is_library_function(const llvm::Function& function);
// ... or one that the program has in its place.
bool has_library_name(const llvm::Function& function);

class CallEffects {
public:
  // `instrumented`: the functions of this module that get hooks. Ask before the first hook is in.
  CallEffects(llvm::FunctionAnalysisManager& analyses, const llvm::DenseSet<const llvm::Function*>& instrumented)
      : analyses_(analyses), instrumented_(instrumented) {}

  trace::CallEffect effect_of(const llvm::CallBase& call) const;
  // It comes back, by returning. Blocking does not count: that is the scheduler's doing.
  bool returns(const llvm::CallBase& call);
  // No input or output, no volatile or atomic access, no synchronisation: what C++ [intro.progress]
  // counts as progress.
  bool is_quiet(const llvm::CallBase& call);

  // The loop ends. Three reasons: scalar evolution knows a bound; the source says so
  // (SOOTH_TERMINATES); or the C++ standard lets one assume it, because nothing in the loop counts
  // as progress. The last one is the heuristic of jPredictor ("loops without synchronisation end")
  // made sound. There it was a guess about Java. A C++ program in which such a loop goes on for
  // ever has no defined behaviour, so no run that we could predict wrongly. C loops whose condition
  // is a constant are exempt in the standard of C; clang marks the others (`mustprogress`).
  bool ends(const llvm::Loop& loop);

private:
  const llvm::Function* body_of(const llvm::CallBase& call) const;
  bool body_returns(const llvm::Function& function);
  bool body_is_quiet(const llvm::Function& function);
  bool is_quiet(const llvm::Instruction& instruction);

  llvm::FunctionAnalysisManager& analyses_;
  const llvm::DenseSet<const llvm::Function*>& instrumented_;
  llvm::DenseMap<const llvm::Function*, bool> returns_;
  llvm::DenseMap<const llvm::Function*, bool> quiet_;
  llvm::DenseMap<const llvm::Loop*, bool> ends_;
};

// SOOTH_TERMINATES() becomes a mark on the loop that it stands in, before the optimiser changes
// loops; the calls go away.
bool mark_terminating_loops(llvm::Module& module);

} // namespace sooth::pass
