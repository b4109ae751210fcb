#include "capture/pass/loop_variables.h"

#include <memory>

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassInstrumentation.h"

namespace sooth::pass {

using namespace llvm;

namespace {

// Whether no iteration and no way out of the loop goes around the block.
bool is_always_passed(const BasicBlock* block, const Loop& loop) {
  const BasicBlock* header = loop.getHeader();
  if (block == header) return true;
  SmallVector<const BasicBlock*, 16> open = {header};
  SmallPtrSet<const BasicBlock*, 16> seen = {block, header};
  while (!open.empty()) {
    for (const BasicBlock* next : successors(open.pop_back_val())) {
      if (!loop.contains(next) || next == header) return false;
      if (seen.insert(next).second) open.push_back(next);
    }
  }
  return true;
}

// Whether each iteration accesses the variable.
bool is_always_accessed(const Value* place, const Loop& loop) {
  return any_of(place->users(), [&](const User* user) {
    const auto* access = dyn_cast<Instruction>(user);
    return access && loop.contains(access) && getLoadStorePointerOperand(access) == place &&
           is_always_passed(access->getParent(), loop);
  });
}

bool is_own_variable(const Value* place) { return isa<AllocaInst>(getUnderlyingObject(place)); }

bool hide_conditional_stores(const Loop& loop) {
  SmallPtrSet<const Value*, 8> always;
  bool hidden = false;
  for (BasicBlock* block : loop.blocks()) {
    if (block == loop.getHeader()) continue;
    for (Instruction& instruction : *block) {
      auto* store = dyn_cast<StoreInst>(&instruction);
      if (!store || !store->isSimple() || !loop.isLoopInvariant(store->getPointerOperand())) continue;
      const Value* place = store->getPointerOperand();
      if (is_own_variable(place) || always.contains(place)) continue;
      if (is_always_accessed(place, loop)) {
        always.insert(place);
        continue;
      }
      store->setAtomic(AtomicOrdering::Unordered);
      hidden = true;
    }
  }
  return hidden;
}

// No language that clang reads has accesses of this order: all of them are ours.
void show_stores(Function& function) {
  for (Instruction& instruction : instructions(function))
    if (auto* store = dyn_cast<StoreInst>(&instruction); store && store->getOrdering() == AtomicOrdering::Unordered)
      store->setOrdering(AtomicOrdering::NotAtomic);
}

} // namespace

void keep_conditional_variables_in_memory(PassInstrumentationCallbacks& passes) {
  constexpr StringRef kMotion = "LICMPass";
  auto changed = std::make_shared<Function*>(nullptr); // while the pass runs on it
  passes.registerBeforeNonSkippedPassCallback([changed, kMotion](StringRef pass, Any unit) {
    const auto* loop = pass == kMotion ? any_cast<const Loop*>(&unit) : nullptr;
    if (!loop) return;
    Function* function = (*loop)->getHeader()->getParent();
    if (function->hasFnAttribute(Attribute::SanitizeThread) && hide_conditional_stores(**loop)) *changed = function;
  });
  const auto restore = [changed, kMotion](StringRef pass) {
    if (pass != kMotion || !*changed) return;
    show_stores(**changed);
    *changed = nullptr;
  };
  passes.registerAfterPassCallback([restore](StringRef pass, Any, const PreservedAnalyses&) { restore(pass); });
  passes.registerAfterPassInvalidatedCallback([restore](StringRef pass, const PreservedAnalyses&) { restore(pass); });
}

} // namespace sooth::pass
