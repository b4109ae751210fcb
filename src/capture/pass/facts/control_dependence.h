// Control dependence, in three strengths.
//
//     1  if (a)             2 depends on 1; 3 does not
//     2    x = 1;
//     3  while (b) ...      4 depends on the loop's branch if the loop may not end: always under
//     4  y = 1;             weak; under termination-sensitive, unless it is known to end; never
//                           under classic
//
// Question: whose outcome decides whether an instruction is reached?
// Source: jPredictor, section 2.1 (classic, weak and termination-sensitive control dependence),
//   which takes them from its references [5], [15] and [2]; the computation is that of Ferrante,
//   Ottenstein and Warren, on LLVM's post-dominator tree.
// Where we differ: one construction for all three. The graph has an edge to the end from each place
//   where control may stay for ever: the heads of loops that may not end, and calls that may not
//   return. An instruction behind such a place does not post-dominate it, so it depends on the
//   branches that lead there and not past it. Classic control dependence has no such edges, weak
//   has all of them, the termination-sensitive one those that CallEffects cannot rule out. A loop
//   that control can enter at two places has no head; the targets of all retreating edges stand for
//   heads, as every cycle has one.
// Cost: a tree and a walk up from each edge: quadratic at worst, linear in practice.
#pragma once

#include <array>
#include <vector>

#include "capture/pass/facts/call_effects.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"

namespace sooth::pass {

inline constexpr unsigned kClassic = 0, kWeak = 1, kTerminationSensitive = 2, kStrengths = 3;

class ControlDependence {
public:
  ControlDependence(llvm::Function& function, CallEffects& effects, const llvm::LoopInfo& loops);

  using Parents = llvm::SmallVector<const llvm::Instruction*, 2>;
  // Direct parents: conditional branches, switches, invokes; calls that may not return. Without
  // repetition, in no particular order.
  const Parents& parents(const llvm::Instruction& instruction, unsigned strength) const {
    return parents_[strength][node_of_.lookup(&instruction)];
  }
  // The parents, theirs, and so on.
  Parents all_parents(const llvm::Instruction& instruction, unsigned strength) const;
  bool may_not_return(const llvm::CallBase& call) const { return splits_.contains(&call); }

private:
  // A piece of a block that runs as a whole or not at all; `decider` is its last instruction if
  // that has several ways on.
  struct Node {
    std::vector<unsigned> successors;
    const llvm::Instruction* decider = nullptr;
    bool call_may_stay = false;
    bool loop_may_stay = false; // a head
    bool head = false;
  };
  void make_nodes(llvm::Function& function, CallEffects& effects, const llvm::LoopInfo& loops);
  void find_parents(llvm::Function& function, unsigned strength);

  std::vector<Node> nodes_;
  llvm::DenseMap<const llvm::Instruction*, unsigned> node_of_;
  llvm::DenseSet<const llvm::CallBase*> splits_;
  std::array<std::vector<Parents>, kStrengths> parents_;
};

} // namespace sooth::pass
