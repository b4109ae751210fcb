#include "capture/pass/facts/static_facts.h"

#include "capture/pass/atomics.h"
#include "capture/pass/plain_accesses.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

namespace sooth::pass {

using namespace llvm;
using trace::CallEffect;
using trace::SiteRole;

namespace {

// The operands that can make it fail.
SmallVector<const Value*, 2> dangerous_operands(const Instruction& instruction) {
  switch (instruction.getOpcode()) {
  case Instruction::UDiv:
  case Instruction::URem: return {instruction.getOperand(1)};
  case Instruction::SDiv:
  case Instruction::SRem: return {instruction.getOperand(0), instruction.getOperand(1)}; // the least number by -1
  case Instruction::Alloca: return {cast<AllocaInst>(instruction).getArraySize()};
  default: return {};
  }
}

bool is_trap(const Instruction& instruction) {
  const auto operands = dangerous_operands(instruction);
  return !operands.empty() && !isa<Constant>(operands.back());
}

bool reads_memory(const Instruction& instruction) { return instruction.mayReadFromMemory(); }

} // namespace

FunctionFacts::FunctionFacts(Function& function, PrivateMemory& memory, const HookRows& rows, CallEffects& effects,
                             FunctionAnalysisManager& analyses)
    : function_(function), rows_(rows), effects_(effects),
      control_(function, effects, analyses.getResult<LoopAnalysis>(function)),
      sources_(function, memory, rows, effects, control_),
      other_writes_(function, rows, effects, control_, analyses.getResult<AAManager>(function)) {}

std::vector<Instruction*> FunctionFacts::traps() const {
  std::vector<Instruction*> found;
  for (Instruction& instruction : instructions(function_)) {
    if (!is_trap(instruction)) continue;
    const auto operands = dangerous_operands(instruction);
    if (any_of(operands, [&](const Value* operand) { return !sources_.of(operand).empty(); }))
      found.push_back(&instruction);
  }
  return found;
}

// What must be as it was for code that we do not see to do the same. Of a known library function
// only pointers count: its output may differ.
FunctionFacts::Set FunctionFacts::handed_over(const CallBase& call) const {
  const CallEffect effect = effects_.effect_of(call);
  Set all = sources_.of(call.getCalledOperand());
  // Arguments without a parameter lie in memory that is never seen to be written: the callee reads
  // them as if they came from outside.
  const unsigned parameters =
      call.getFunctionType()->isVarArg() ? call.getFunctionType()->getNumParams() : call.arg_size();
  for (unsigned i = parameters; i < call.arg_size(); ++i)
    if (effect != CallEffect::Known) all |= sources_.argument(call, i);
  if (effect == CallEffect::None || effect == CallEffect::Defined) return all;
  for (unsigned i = 0; i < call.arg_size(); ++i)
    if (effect != CallEffect::Known || call.getArgOperand(i)->getType()->isPointerTy())
      all |= sources_.argument(call, i);
  return all;
}

bool FunctionFacts::is_decision(const CallBase& call) const {
  const CallEffect effect = effects_.effect_of(call);
  return effect == CallEffect::Other || effect == CallEffect::Reads || !handed_over(call).empty();
}

FunctionFacts::Set FunctionFacts::address_of(const Instruction& instruction) const {
  if (const auto* transfer = dyn_cast<MemIntrinsic>(&instruction)) {
    Set all = sources_.of(transfer->getRawDest());
    all |= sources_.of(transfer->getLength());
    if (const auto* copy = dyn_cast<MemTransferInst>(transfer)) all |= sources_.of(copy->getRawSource());
    return all;
  }
  if (is_masked_access(instruction)) { // the place, and the mask: which lanes
    const auto& call = cast<CallBase>(instruction);
    const bool load = !call.getType()->isVoidTy();
    Set all = sources_.of(call.getArgOperand(load ? 0 : 1));
    all |= sources_.of(call.getArgOperand(load ? 2 : 3));
    return all;
  }
  if (const Value* address = getLoadStorePointerOperand(&instruction)) return sources_.of(address);
  const Value* address = atomic_address(instruction);
  return address ? sources_.of(address) : Set();
}

void FunctionFacts::add(FactTable& table, std::uint32_t row, const Instruction& instruction, SiteFact fact) {
  for (unsigned strength = 0; strength < kStrengths; ++strength) {
    for (const Instruction* parent : control_.parents(instruction, strength)) {
      if (const auto decided = rows_.decision.find(parent); decided != rows_.decision.end())
        fact.control[strength].push_back(decided->second);
      else if (const auto* call = dyn_cast<CallBase>(parent))
        if (const auto called = rows_.call.find(call); called != rows_.call.end())
          fact.control[strength].push_back(called->second);
    }
  }
  if (reads_memory(instruction)) fact.other_writes = other_writes_.before(instruction);
  table.add_site(row, number_, fact);
}

void FunctionFacts::add_access(FactTable& table, std::uint32_t row, const Instruction& instruction) {
  SiteFact fact;
  Set value, condition;
  if (const auto* store = dyn_cast<StoreInst>(&instruction)) {
    fact.role = SiteRole::Store;
    value = sources_.of(store->getValueOperand());
  } else if (const auto* update = dyn_cast<AtomicRMWInst>(&instruction)) {
    fact.role = SiteRole::Update;
    value = sources_.of(update->getValOperand());
    if (update->getOperation() != AtomicRMWInst::Xchg) value |= sources_.load_at(row, false);
    // Arithmetic that has no instruction is a loop of compare-exchanges (atomics.cc).
    if (update->isFloatingPointOperation()) condition = sources_.load_at(row, false);
  } else if (const auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
    fact.role = SiteRole::Update;
    value = sources_.of(exchange->getNewValOperand());
    condition = sources_.of(exchange->getCompareOperand());
    condition |= sources_.load_at(row, false);
  } else if (const auto* fill = dyn_cast<MemSetInst>(&instruction)) {
    fact.role = SiteRole::Store;
    value = sources_.of(fill->getValue());
  } else if (const auto* copy = dyn_cast<MemTransferInst>(&instruction)) {
    const bool reads = rows_.copied_from.contains(copy);
    fact.role = reads ? SiteRole::Copy : SiteRole::Store;
    value = reads ? sources_.load_at(row, false) : sources_.contents(copy->getRawSource());
  } else if (is_masked_access(instruction) && instruction.getType()->isVoidTy()) {
    fact.role = SiteRole::Store;
    value = sources_.of(cast<CallBase>(instruction).getArgOperand(0));
  } else if (isa<FenceInst>(instruction)) {
    fact.role = SiteRole::Store; // of nothing
  } else {
    fact.role = SiteRole::Load;
  }
  fact.value = sources_.list(value);
  fact.condition = sources_.list(condition);
  fact.address = sources_.list(address_of(instruction));
  add(table, row, instruction, std::move(fact));
}

void FunctionFacts::add_call(FactTable& table, std::uint32_t row, const CallBase& call) {
  SiteFact fact;
  fact.role = SiteRole::Call;
  fact.effect = effects_.effect_of(call);
  fact.flags = control_.may_not_return(call) ? trace::kMayNotReturn : 0;
  // Hooks in the callee do not help with a variable number of arguments, nor if the caller's
  // activation is over before the callee's begins.
  const Function* callee = call.getCalledFunction();
  if (callee && !call.isMustTailCall() && !call.getFunctionType()->isVarArg()) fact.callee = name_number(*callee);
  fact.target = sources_.list(sources_.of(call.getCalledOperand()));
  fact.condition = sources_.list(handed_over(call));
  Set value = sources_.load_at(row, true); // what an interceptor copies
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    const Set argument = sources_.argument(call, i);
    value |= argument;
    fact.arguments.push_back(sources_.list(argument));
  }
  fact.value = sources_.list(value);
  add(table, row, call, std::move(fact));
}

void FunctionFacts::add_to(FactTable& table, std::uint32_t function_row, ArrayRef<unsigned> announced) {
  number_ = table.add_function(function_row, name_number(function_), static_cast<std::uint32_t>(function_.arg_size()),
                               sources_.list(sources_.returned(function_)));
  if (!announced.empty()) {
    SiteFact copies;
    copies.role = SiteRole::Store;
    for (const unsigned number : announced) copies.value.push_back({trace::SourceKind::Parameter, false, number});
    table.add_site(function_row, number_, copies);
  }
  for (const Instruction& instruction : instructions(function_)) {
    if (const auto access = rows_.access.find(&instruction); access != rows_.access.end())
      add_access(table, access->second, instruction);
    else if (const auto from = rows_.copied_from.find(&instruction); from != rows_.copied_from.end()) {
      SiteFact fact;
      fact.role = SiteRole::Load;
      fact.address = sources_.list(address_of(instruction));
      add(table, from->second, instruction, std::move(fact));
    }
    if (const auto decision = rows_.decision.find(&instruction); decision != rows_.decision.end()) {
      SiteFact fact;
      Set condition;
      fact.role = instruction.isTerminator() ? SiteRole::Branch : SiteRole::Trap;
      if (fact.role == SiteRole::Branch)
        for (const Use& operand : instruction.operands()) condition |= sources_.of(operand.get());
      for (const Value* operand : dangerous_operands(instruction)) condition |= sources_.of(operand);
      fact.condition = sources_.list(condition);
      add(table, decision->second, instruction, std::move(fact));
    }
    const auto* call = dyn_cast<CallBase>(&instruction);
    if (!call) continue;
    if (const auto row = rows_.call.find(call); row != rows_.call.end()) add_call(table, row->second, *call);
    for (unsigned i = 0; i < call->arg_size(); ++i) {
      const auto read = rows_.by_value.find({call, i});
      if (read == rows_.by_value.end()) continue;
      SiteFact fact;
      fact.role = SiteRole::Load;
      fact.address = sources_.list(sources_.of(call->getArgOperand(i)));
      add(table, read->second, *call, std::move(fact));
    }
  }
}

bool promote_variables(Function& function, FunctionAnalysisManager& analyses) {
  // setjmp goes back to what is in memory; a coroutine may end up with its variables elsewhere.
  if (function.callsFunctionThatReturnsTwice() || function.isPresplitCoroutine()) return false;
  std::vector<AllocaInst*> variables;
  for (Instruction& instruction : function.getEntryBlock())
    if (auto* variable = dyn_cast<AllocaInst>(&instruction); variable && isAllocaPromotable(variable))
      variables.push_back(variable);
  if (variables.empty()) return false;
  PromoteMemToReg(variables, analyses.getResult<DominatorTreeAnalysis>(function),
                  &analyses.getResult<AssumptionAnalysis>(function));
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  analyses.invalidate(function, kept);
  return true;
}

} // namespace sooth::pass
