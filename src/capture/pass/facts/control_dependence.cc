#include "capture/pass/facts/control_dependence.h"

#include <memory>

#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace sooth::pass {

using namespace llvm;

namespace {

// A function that is only the shape of a graph: LLVM's trees are made of blocks.
class Skeleton {
public:
  Skeleton(LLVMContext& context, std::size_t nodes) : module_("", context) {
    function_ =
        Function::Create(FunctionType::get(Type::getVoidTy(context), false), GlobalValue::InternalLinkage, "", module_);
    // Nothing leads back to the first block, as LLVM wants it; it leads to where the graph begins.
    BasicBlock* entry = BasicBlock::Create(context, "", function_);
    for (std::size_t i = 0; i < nodes; ++i) {
      blocks_.push_back(BasicBlock::Create(context, "", function_));
      numbers_[blocks_.back()] = static_cast<unsigned>(i);
    }
    end_ = BasicBlock::Create(context, "", function_);
    ReturnInst::Create(context, end_);
    BranchInst::Create(blocks_.empty() ? end_ : blocks_.front(), entry);
  }

  void connect(unsigned node, ArrayRef<unsigned> successors, bool to_end) {
    auto* number = Type::getInt32Ty(module_.getContext());
    SmallVector<BasicBlock*, 4> targets;
    for (unsigned successor : successors) targets.push_back(blocks_[successor]);
    if (to_end || targets.empty()) targets.push_back(end_);
    if (targets.size() == 1) {
      BranchInst::Create(targets.front(), blocks_[node]);
      return;
    }
    auto* choice = SwitchInst::Create(ConstantInt::get(number, 0), targets.front(),
                                      static_cast<unsigned>(targets.size() - 1), blocks_[node]);
    for (unsigned i = 1; i < targets.size(); ++i)
      choice->addCase(cast<ConstantInt>(ConstantInt::get(number, i)), targets[i]);
  }
  void make_tree() { tree_ = std::make_unique<PostDominatorTree>(*function_); }

  static constexpr unsigned kEnd = ~0U;
  // The nearest node that is on every way from here to the end.
  unsigned next_on_every_way(unsigned node) const {
    const auto* here = tree_->getNode(blocks_[node]);
    const auto* next = here ? here->getIDom() : nullptr;
    const auto known = next && next->getBlock() ? numbers_.find(next->getBlock()) : numbers_.end();
    return known == numbers_.end() ? kEnd : known->second;
  }

private:
  Module module_;
  Function* function_;
  std::vector<BasicBlock*> blocks_;
  DenseMap<const BasicBlock*, unsigned> numbers_;
  BasicBlock* end_;
  std::unique_ptr<PostDominatorTree> tree_;
};

} // namespace

ControlDependence::ControlDependence(Function& function, CallEffects& effects, const LoopInfo& loops) {
  make_nodes(function, effects, loops);
  for (unsigned strength = 0; strength < kStrengths; ++strength) find_parents(function, strength);
}

void ControlDependence::make_nodes(Function& function, CallEffects& effects, const LoopInfo& loops) {
  DenseMap<const BasicBlock*, unsigned> first;
  const auto add_node = [&] {
    nodes_.emplace_back();
    return static_cast<unsigned>(nodes_.size() - 1);
  };
  DenseMap<const BasicBlock*, unsigned> last;
  for (const BasicBlock& block : function) {
    unsigned node = add_node();
    first[&block] = node;
    for (const Instruction& instruction : block) {
      node_of_[&instruction] = node;
      const auto* call = dyn_cast<CallBase>(&instruction);
      if (!call || isa<IntrinsicInst>(call) || effects.returns(*call)) continue;
      splits_.insert(call);
      nodes_[node].call_may_stay = true;
      nodes_[node].decider = call;
      if (call->isTerminator()) continue;
      const unsigned rest = add_node();
      nodes_[node].successors.push_back(rest);
      node = rest;
    }
    last[&block] = node;
  }
  for (const BasicBlock& block : function) {
    Node& node = nodes_[last[&block]];
    SmallPtrSet<const BasicBlock*, 4> seen;
    for (const BasicBlock* next : successors(&block))
      if (seen.insert(next).second) node.successors.push_back(first[next]);
    if (node.successors.size() > 1) node.decider = block.getTerminator();
  }
  SmallVector<std::pair<const BasicBlock*, const BasicBlock*>, 8> back;
  FindFunctionBackedges(function, back);
  for (const auto& [from, to] : back) {
    Node& head = nodes_[first[to]];
    const Loop* loop = loops.getLoopFor(to);
    head.head = true;
    head.loop_may_stay |= !loop || loop->getHeader() != to || !loop->contains(from) || !effects.ends(*loop);
  }
}

void ControlDependence::find_parents(Function& function, unsigned strength) {
  Skeleton skeleton(function.getContext(), nodes_.size());
  const auto may_stay = [&](const Node& node) {
    if (strength == kClassic) return false;
    return node.call_may_stay || (strength == kWeak ? node.head : node.loop_may_stay);
  };
  for (unsigned i = 0; i < nodes_.size(); ++i) skeleton.connect(i, nodes_[i].successors, may_stay(nodes_[i]));
  skeleton.make_tree();
  auto& parents = parents_[strength];
  parents.resize(nodes_.size());
  for (unsigned i = 0; i < nodes_.size(); ++i) {
    // A head that is not a branch decides nothing by itself. The loop's branches decide whether
    // control comes back to it, and these are parents of everything behind the loop, since nothing
    // there is on every way on from the head.
    const Instruction* decider = nodes_[i].decider;
    if (!decider || (nodes_[i].successors.size() < 2 && !may_stay(nodes_[i]))) continue;
    const unsigned stop = skeleton.next_on_every_way(i);
    for (const unsigned successor : nodes_[i].successors)
      for (unsigned node = successor; node != stop && node != Skeleton::kEnd; node = skeleton.next_on_every_way(node))
        if (!is_contained(parents[node], decider)) parents[node].push_back(decider);
  }
}

ControlDependence::Parents ControlDependence::all_parents(const Instruction& instruction, unsigned strength) const {
  Parents found = parents(instruction, strength);
  SmallPtrSet<const Instruction*, 16> seen(found.begin(), found.end());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Instruction* parent = found[i];
    for (const Instruction* above : parents(*parent, strength))
      if (seen.insert(above).second) found.push_back(above);
  }
  return found;
}

} // namespace sooth::pass
