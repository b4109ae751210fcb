// Writes that another branch would have made.
//
//     if (a) x = 1;       the branch was not taken; the read of x depends on it all the same
//     b = x;
//
// Question: which branches, had they gone another way, would have made a write that could be seen
//   here?
// Source: jPredictor, Definition 3, case 3: a read depends on a choice that was made before it if a
//   statement in the scope of that choice can change what it reads.
// Where we differ: all writes that may come before the read count, also those behind calls: then
//   the call is named, and decisions inside it count. Aliasing is LLVM's.
// Cost: readers times writers of a function; above kMostPairs every writer counts as one that may
//   be seen.
#pragma once

#include <vector>

#include "capture/pass/facts/control_dependence.h"
#include "capture/pass/facts/data_sources.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/Analysis/AliasAnalysis.h"

namespace sooth::pass {

class OtherWrites {
public:
  OtherWrites(llvm::Function& function, const HookRows& rows, const CallEffects& effects,
              const ControlDependence& control, llvm::AAResults& aliases);

  // Rows of branches and calls, without order; `reader` has a row itself.
  std::vector<std::uint32_t> before(const llvm::Instruction& reader);

private:
  struct Writer {
    const llvm::Instruction* instruction;
    std::vector<std::uint32_t> rows; // what decides about it, and itself if it is a call
  };
  bool reaches(const llvm::Instruction& writer, const llvm::Instruction& reader) const;
  bool may_change(const llvm::Instruction& writer, const llvm::Instruction& reader);

  llvm::AAResults& aliases_;
  std::vector<Writer> writers_;
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> numbers_;
  std::vector<llvm::BitVector> reachable_; // by block: what can follow it
  bool exact_ = true;
};

} // namespace sooth::pass
