#include "capture/pass/branch_loads.h"

#include <optional>

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace sooth::pass {

using namespace llvm;

namespace {

constexpr unsigned kMaxMoved = 4;

// The values computed from the load in its own block, in order, if all of them are for one of the
// ways out of that block, which is set.
SmallVector<Instruction*, 4> for_one_way_out(LoadInst& load, BasicBlock*& way) {
  const BasicBlock* block = load.getParent();
  SmallVector<Instruction*, 4> found = {&load};
  way = nullptr;
  for (unsigned i = 0; i < found.size(); ++i) {
    for (const Use& use : found[i]->uses()) {
      auto* user = cast<Instruction>(use.getUser());
      if (const auto* merge = dyn_cast<PHINode>(user)) {
        if (merge->getIncomingBlock(use) != block || (way && way != merge->getParent())) return {};
        way = user->getParent();
      } else if (user->getParent() != block || !only_passes_on(*user) || found.size() > kMaxMoved) {
        return {};
      } else if (!is_contained(found, user)) {
        found.push_back(user);
      }
    }
  }
  if (!way) return {};
  llvm::sort(found, [](const Instruction* a, const Instruction* b) { return a->comesBefore(b); });
  return found;
}

// Whether the block's last branch was decided before the load. A load that the source itself makes
// for the next iteration comes before the loop's own condition.
bool is_decided_before(const LoadInst& load) {
  const auto* branch = dyn_cast<BranchInst>(load.getParent()->getTerminator());
  const auto* condition = branch ? dyn_cast<Instruction>(branch->getCondition()) : nullptr;
  return condition && condition->getParent() == load.getParent() && condition->comesBefore(&load);
}

} // namespace

bool may_be_shared(const LoadInst& load) {
  return load.isSimple() && !isa<AllocaInst>(getUnderlyingObject(load.getPointerOperand()));
}

bool only_passes_on(const Instruction& user) {
  return !isa<PHINode>(user) && !user.isTerminator() && isSafeToSpeculativelyExecute(&user);
}

bool sink_onto_ways(Function& function) {
  std::vector<LoadInst*> loads;
  for (Instruction& i : instructions(function))
    if (auto* load = dyn_cast<LoadInst>(&i); load && may_be_shared(*load)) loads.push_back(load);
  std::optional<DominatorTree> dominators;
  bool changed = false;
  for (LoadInst* load : loads) {
    BasicBlock* block = load->getParent();
    if (!isa<BranchInst, SwitchInst>(block->getTerminator()) || block->getUniqueSuccessor()) continue;
    BasicBlock* way = nullptr;
    const auto moved = for_one_way_out(*load, way);
    if (moved.empty() || any_of(make_range(load->getIterator(), block->end()),
                                [](const Instruction& i) { return i.mayWriteToMemory(); }))
      continue;
    if (!dominators) dominators.emplace(function);
    if (dominators->dominates(way, block) && !is_decided_before(*load)) continue;
    BasicBlock* edge =
        SplitCriticalEdge(block, way, CriticalEdgeSplittingOptions(&*dominators).setMergeIdenticalEdges());
    if (!edge) continue;
    for (Instruction* i : moved) i->moveBefore(edge->getTerminator());
    changed = true;
  }
  return changed;
}

} // namespace sooth::pass
