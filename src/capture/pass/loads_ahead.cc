#include "capture/pass/loads_ahead.h"

#include "capture/pass/branch_loads.h"
#include "capture/pass/loop_variables.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/Loads.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace sooth::pass {

using namespace llvm;

namespace {

constexpr Attribute::AttrKind kHoldsBack = Attribute::SanitizeThread;
constexpr unsigned kMaxComputations = 4;
constexpr unsigned kMaxGuards = 8;

// The arm as a load that only the select looks at, and that may as well be made at the select.
LoadInst* sinkable(Value* arm, const SelectInst& choice) {
  auto* load = dyn_cast<LoadInst>(arm);
  if (!load || !load->hasOneUse() || load->getParent() != choice.getParent() || !may_be_shared(*load)) return nullptr;
  for (const Instruction* i = load; i != &choice; i = i->getNextNode())
    if (i->mayWriteToMemory()) return nullptr;
  return load;
}

Value* decided(IRBuilder<>& builder, Value* condition) {
  return isGuaranteedNotToBeUndefOrPoison(condition) ? condition : builder.CreateFreeze(condition);
}

void sink(SelectInst& choice, LoadInst* if_true, LoadInst* if_false) {
  IRBuilder<> builder(&choice);
  Value* condition = decided(builder, choice.getCondition());
  Instruction* then_end = nullptr;
  Instruction* else_end = nullptr;
  SplitBlockAndInsertIfThenElse(condition, &choice, &then_end, &else_end);
  if (if_true) if_true->moveBefore(then_end);
  if (if_false) if_false->moveBefore(else_end);
  builder.SetInsertPoint(&choice);
  PHINode* value = builder.CreatePHI(choice.getType(), 2);
  value->addIncoming(choice.getTrueValue(), then_end->getParent());
  value->addIncoming(choice.getFalseValue(), else_end->getParent());
  choice.replaceAllUsesWith(value);
  choice.eraseFromParent();
}

// A condition and the value that it must have.
struct Guard {
  Value* condition = nullptr;
  bool value = false;

  // Whether the use is reached only so.
  bool covers(const Use& use, const DominatorTree& dominators, unsigned depth = 0) const {
    const auto& user = *cast<Instruction>(use.getUser());
    if (const auto* choice = dyn_cast<SelectInst>(&user);
        choice && choice->getCondition() == condition && use.getOperandNo() == (value ? 1u : 2u))
      return true;
    for (const User* other : condition->users())
      if (const auto* branch = dyn_cast<BranchInst>(other);
          branch && branch->getSuccessor(0) != branch->getSuccessor(1))
        if (dominators.dominates(BasicBlockEdge(branch->getParent(), branch->getSuccessor(value ? 0 : 1)), use))
          return true;
    return depth < kMaxComputations && only_passes_on(user) && covers_all(user, dominators, depth + 1);
  }
  bool covers_all(const Value& of, const DominatorTree& dominators, unsigned depth = 0) const {
    return all_of(of.uses(), [&](const Use& use) { return covers(use, dominators, depth); });
  }
};

// The guards that selects show for a value, at most kMaxComputations computations away.
SmallVector<Guard, 8> guards_shown(Value& of) {
  SmallVector<Guard, 8> guards;
  SmallVector<std::pair<Value*, unsigned>, 8> open = {{&of, 0}};
  SmallPtrSet<Value*, 8> seen;
  while (!open.empty() && guards.size() < kMaxGuards) {
    const auto [value, depth] = open.pop_back_val();
    for (const Use& use : value->uses()) {
      auto* user = cast<Instruction>(use.getUser());
      auto* choice = dyn_cast<SelectInst>(user);
      if (choice && use.getOperandNo() != 0 && !isa<Constant>(choice->getCondition()) &&
          choice->getCondition()->getType()->isIntegerTy(1))
        guards.push_back({choice->getCondition(), use.getOperandNo() == 1});
      if (depth < kMaxComputations && only_passes_on(*user) && seen.insert(user).second)
        open.emplace_back(user, depth + 1);
    }
  }
  return guards;
}

// The guard of all that looks at the load.
Guard guard_of(LoadInst& load, const DominatorTree& dominators) {
  for (const Guard& guard : guards_shown(load))
    if (dominators.dominates(guard.condition, &load) && guard.covers_all(load, dominators)) return guard;
  return {};
}

// Loads that are looked at in more ways stay where they are, in a branch of their own.
bool sink_in_place(Function& function) {
  std::vector<LoadInst*> loads;
  bool has_choices = false;
  for (Instruction& i : instructions(function)) {
    has_choices |= isa<SelectInst>(i);
    if (auto* load = dyn_cast<LoadInst>(&i); load && may_be_shared(*load)) loads.push_back(load);
  }
  if (!has_choices) return false;
  DominatorTree dominators(function);
  DomTreeUpdater updater(dominators, DomTreeUpdater::UpdateStrategy::Eager);
  bool changed = false;
  for (LoadInst* load : loads) {
    const Guard guard = guard_of(*load, dominators);
    if (!guard.condition) continue;
    IRBuilder<> builder(load);
    Value* condition = decided(builder, guard.condition);
    BasicBlock* before = load->getParent();
    Instruction* after = load->getNextNode();
    Instruction* end = guard.value ? SplitBlockAndInsertIfThen(condition, after, false, nullptr, &updater)
                                   : SplitBlockAndInsertIfElse(condition, after, false, nullptr, &updater);
    load->moveBefore(end);
    builder.SetInsertPoint(after->getParent(), after->getParent()->begin());
    builder.SetCurrentDebugLocation(load->getDebugLoc());
    PHINode* value = builder.CreatePHI(load->getType(), 2);
    load->replaceAllUsesWith(value);
    value->addIncoming(load, end->getParent());
    value->addIncoming(PoisonValue::get(load->getType()), before);
    changed = true;
  }
  return changed;
}

// A load from one of two places becomes two loads in branches. Otherwise loads of places that can
// always be read would both be made, and loads in one block are put into vectors before this could
// be undone.
bool split_loads_of_choices(Function& function) {
  const DataLayout& layout = function.getParent()->getDataLayout();
  std::vector<std::pair<LoadInst*, SelectInst*>> found;
  for (Instruction& i : instructions(function)) {
    auto* load = dyn_cast<LoadInst>(&i);
    auto* choice = load ? dyn_cast<SelectInst>(load->getPointerOperand()) : nullptr;
    const auto can_be_read = [&](Value* place) {
      return isSafeToLoadUnconditionally(place, load->getType(), load->getAlign(), layout, choice);
    };
    if (choice && load->isSimple() && choice->hasOneUse() && can_be_read(choice->getTrueValue()) &&
        can_be_read(choice->getFalseValue()))
      found.emplace_back(load, choice);
  }
  for (auto [load, places] : found) {
    IRBuilder<> builder(load);
    const auto load_from = [&](Value* place) {
      LoadInst* one = builder.CreateAlignedLoad(load->getType(), place, load->getAlign());
      one->copyMetadata(*load);
      return one;
    };
    LoadInst* if_true = load_from(places->getTrueValue());
    LoadInst* if_false = load_from(places->getFalseValue());
    auto* value = cast<SelectInst>(builder.CreateSelect(places->getCondition(), if_true, if_false));
    load->replaceAllUsesWith(value);
    load->eraseFromParent();
    places->eraseFromParent();
    sink(*value, if_true, if_false);
  }
  return !found.empty();
}

// A vector of a conditional load's places is read as a whole where all of them can be read.
bool keep_conditional_loops_scalar(LoopInfo& loops, DominatorTree& dominators) {
  bool changed = false;
  for (Loop* loop : loops.getLoopsInPreorder()) {
    const BasicBlock* latch = loop->getLoopLatch();
    if (!loop->isInnermost() || !latch) continue;
    const bool has_conditional_load = any_of(loop->blocks(), [&](const BasicBlock* block) {
      return !dominators.dominates(block, latch) && any_of(*block, [](const Instruction& i) {
        const auto* load = dyn_cast<LoadInst>(&i);
        return load && may_be_shared(*load);
      });
    });
    if (!has_conditional_load) continue;
    addStringMetadataToLoop(loop, "llvm.loop.vectorize.enable", 0);
    changed = true;
  }
  return changed;
}

struct SinkPass : PassInfoMixin<SinkPass> {
  PreservedAnalyses run(Function& function, FunctionAnalysisManager&) {
    return sink_chosen_loads(function) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

struct BeforeVectorsPass : PassInfoMixin<BeforeVectorsPass> {
  PreservedAnalyses run(Function& function, FunctionAnalysisManager& analyses) {
    if (!function.hasFnAttribute(kHoldsBack)) return PreservedAnalyses::all();
    const bool sunk = sink_chosen_loads(function);
    const bool split = split_loads_of_choices(function);
    if (sunk || split) analyses.invalidate(function, PreservedAnalyses::none());
    const bool marked = keep_conditional_loops_scalar(analyses.getResult<LoopAnalysis>(function),
                                                      analyses.getResult<DominatorTreeAnalysis>(function));
    return sunk || split || marked ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

} // namespace

bool forbid_loads_ahead(Function& function) {
  if (function.hasFnAttribute(kHoldsBack)) return false;
  function.addFnAttr(kHoldsBack);
  return true;
}

void allow_loads_ahead(Function& function) { function.removeFnAttr(kHoldsBack); }

bool sink_chosen_loads(Function& function) {
  if (!function.hasFnAttribute(kHoldsBack)) return false;
  std::vector<SelectInst*> choices;
  for (Instruction& i : instructions(function))
    if (auto* choice = dyn_cast<SelectInst>(&i); choice && !choice->getCondition()->getType()->isVectorTy())
      choices.push_back(choice);
  bool changed = false;
  for (SelectInst* choice : choices) {
    LoadInst* if_true = sinkable(choice->getTrueValue(), *choice);
    LoadInst* if_false = sinkable(choice->getFalseValue(), *choice);
    if (!if_true && !if_false) continue;
    sink(*choice, if_true, if_false);
    changed = true;
  }
  changed |= sink_in_place(function);
  return sink_onto_ways(function) || changed;
}

bool keep_string_comparisons(Function& function) {
  bool changed = false;
  for (Instruction& i : instructions(function)) {
    auto* call = dyn_cast<CallBase>(&i);
    const Function* callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || !callee->isDeclaration() || !is_contained({"strcmp", "strncmp"}, callee->getName())) continue;
    call->addFnAttr(Attribute::NoBuiltin);
    changed = true;
  }
  return changed;
}

void register_loads_ahead(PassBuilder& builder) {
  builder.registerPeepholeEPCallback(
      [](FunctionPassManager& manager, OptimizationLevel) { manager.addPass(SinkPass()); });
  builder.registerVectorizerStartEPCallback(
      [](FunctionPassManager& manager, OptimizationLevel) { manager.addPass(BeforeVectorsPass()); });
  // Callers would load for their callees, who may not want it.
  if (PassInstrumentationCallbacks* passes = builder.getPassInstrumentationCallbacks()) {
    passes->registerShouldRunOptionalPassCallback([](StringRef pass, Any) { return pass != "ArgumentPromotionPass"; });
    keep_conditional_variables_in_memory(*passes);
  }
  // Vectors over every second element would read those between.
  auto& all_options = cl::getRegisteredOptions();
  const auto gaps = all_options.find("enable-interleaved-mem-accesses");
  if (gaps != all_options.end() && gaps->second->getNumOccurrences() == 0)
    gaps->second->addOccurrence(0, gaps->second->ArgStr, "false");
}

} // namespace sooth::pass
