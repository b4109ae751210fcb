#include "capture/pass/branches.h"

#include "capture/pass/frames.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace sooth::pass {

using namespace llvm;

namespace {

constexpr unsigned kMaxRounds = 16;

// Everything that depends on shared memory: values, and private objects that hold such values.
class Dependence {
public:
  Dependence(Function& function, PrivateMemory& memory, const DenseSet<const Instruction*>& recorded)
      : memory_(memory), recorded_(recorded) {
    unsigned rounds = 0;
    for (bool changed = true; changed && !everything_; everything_ = ++rounds > kMaxRounds) {
      changed = false;
      for (Instruction& instruction : instructions(function)) changed |= visit(instruction);
    }
  }

  bool covers(const Value* value) const {
    return isa<Argument>(value) || depends_.contains(value) || (everything_ && isa<Instruction>(value));
  }

private:
  bool visit(const Instruction& instruction) {
    if (const auto* store = dyn_cast<StoreInst>(&instruction))
      return covers(store->getValueOperand()) && mark_objects(store->getPointerOperand());
    if (const auto* copy = dyn_cast<MemTransferInst>(&instruction))
      return reads_dependent(copy->getRawSource()) && mark_objects(copy->getRawDest());
    if (instruction.getType()->isVoidTy() || depends_.contains(&instruction)) return false;
    return starts_here(instruction) && depends_.insert(&instruction).second;
  }

  bool starts_here(const Instruction& instruction) {
    if (recorded_.contains(&instruction)) return true;
    if (const auto* call = dyn_cast<CallBase>(&instruction); call && is_real_call(*call)) return true;
    if (const auto* load = dyn_cast<LoadInst>(&instruction); load && reads_dependent(load->getPointerOperand()))
      return true;
    return any_of(instruction.operands(), [&](const Use& operand) { return covers(operand.get()); });
  }

  bool reads_dependent(const Value* address) {
    const auto objects = memory_.private_objects(address);
    if (objects.empty()) return !PrivateMemory::is_constant(address);
    return any_of(objects, [&](const Value* object) {
      return depends_.contains(object) || isa<Argument, GlobalVariable>(object);
    });
  }

  bool mark_objects(const Value* address) {
    bool changed = false;
    for (const Value* object : memory_.private_objects(address)) changed |= depends_.insert(object).second;
    return changed;
  }

  PrivateMemory& memory_;
  const DenseSet<const Instruction*>& recorded_;
  DenseSet<const Value*> depends_;
  bool everything_ = false;
};

// The value that decides the way; null if there is only one.
Value* decision(const Instruction& terminator) {
  if (const auto* branch = dyn_cast<BranchInst>(&terminator))
    return branch->isConditional() ? branch->getCondition() : nullptr;
  if (const auto* choice = dyn_cast<SwitchInst>(&terminator)) return choice->getCondition();
  return nullptr;
}

} // namespace

std::vector<Instruction*> dependent_branches(Function& function, PrivateMemory& memory,
                                             const DenseSet<const Instruction*>& recorded) {
  std::vector<Instruction*> found;
  const Dependence dependence(function, memory, recorded);
  for (BasicBlock& block : function) {
    Instruction* terminator = block.getTerminator();
    const Value* decided_by = terminator ? decision(*terminator) : nullptr;
    if (decided_by && !isa<Constant>(decided_by) && dependence.covers(decided_by)) found.push_back(terminator);
  }
  return found;
}

std::vector<Instruction*> all_branches(Function& function) {
  std::vector<Instruction*> found;
  for (BasicBlock& block : function) {
    Instruction* terminator = block.getTerminator();
    if (!terminator) continue;
    const Value* decided_by = decision(*terminator);
    const bool elsewhere = isa<IndirectBrInst, CallBrInst>(terminator); // jumps to labels as values, from assembler
    if (elsewhere || (decided_by && !isa<Constant>(decided_by))) found.push_back(terminator);
  }
  return found;
}

namespace {

// if (thread.branches != 0) __sooth_branch(site, way)
void announce(FunctionContext& function, Instruction& before, std::uint32_t row, Value* decided_by) {
  ModuleContext& context = function.context;
  Builder at(&before);
  Value* wanted = at.CreateICmpNE(function.load_field(at, kBranches), ConstantInt::get(context.i32, 0));
  Instruction* slow =
      SplitBlockAndInsertIfThen(wanted, before.getIterator(), /*Unreachable=*/false, context.unlikely());
  Builder inside(slow);
  Value* way = decided_by ? inside.CreateZExtOrTrunc(decided_by, context.i64)
                          : static_cast<Value*>(ConstantInt::get(context.i64, 0));
  context.call_preserving(inside, "__sooth_branch", context.void_type, {context.site_number(inside, row), way});
}

} // namespace

void instrument_branch(FunctionContext& function, Instruction& terminator, std::uint32_t row) {
  announce(function, terminator, row, decision(terminator));
}

void instrument_decision(FunctionContext& function, Instruction& instruction, std::uint32_t row) {
  announce(function, instruction, row, nullptr);
}

} // namespace sooth::pass
