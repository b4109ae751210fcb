#include "capture/pass/facts/data_sources.h"

#include "capture/pass/atomics.h"
#include "capture/pass/frames.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace sooth::pass {

using namespace llvm;
using trace::SourceKind;

namespace {

constexpr std::size_t kMostWork = 20'000'000; // visits of instructions times sources known by then

} // namespace

DataSources::DataSources(Function& function, PrivateMemory& memory, const HookRows& rows, const CallEffects& effects,
                         const ControlDependence& control)
    : memory_(memory), rows_(rows), effects_(effects), control_(control) {
  number_of({}); // Unknown is the first
  SmallVector<std::pair<const BasicBlock*, const BasicBlock*>, 8> back;
  FindFunctionBackedges(function, back);
  retreating_.insert(back.begin(), back.end());
  for (const Argument& argument : function.args())
    if (argument.hasByValAttr()) contents_[&argument] = one({SourceKind::Parameter, false, argument.getArgNo()});
  const ReversePostOrderTraversal<Function*> order(&function);
  std::size_t work = 0;
  for (bool changed = true; changed && !gave_up_;) {
    changed = false;
    for (const BasicBlock* block : order) {
      for (const Instruction& instruction : *block) changed |= visit(instruction);
      work += block->size() * (1 + sources_.size() / 64);
    }
    gave_up_ = work > kMostWork;
  }
}

unsigned DataSources::number_of(const FactSource& source) const {
  const auto [known, fresh] =
      numbers_.try_emplace({static_cast<unsigned>(source.kind), source.index}, static_cast<unsigned>(sources_.size()));
  if (fresh) sources_.push_back({source.kind, false, source.index});
  return known->second * 2 + (source.every ? 1 : 0);
}

DataSources::Set DataSources::load_at(std::uint32_t row, bool every) const {
  return one({SourceKind::Load, every, row});
}

DataSources::Set DataSources::every(const Set& set) const {
  Set result;
  for (const unsigned number : set) {
    const SourceKind kind = sources_[number / 2].kind;
    result.set(kind == SourceKind::Unknown || kind == SourceKind::Parameter ? number : number | 1);
  }
  return result;
}

DataSources::Set DataSources::of(const Value* value) const {
  if (const auto* argument = dyn_cast<Argument>(value)) {
    // The copy that a call by value made has an address of its own, which depends on nothing.
    return argument->hasByValAttr() ? Set() : one({SourceKind::Parameter, false, argument->getArgNo()});
  }
  const auto* instruction = dyn_cast<Instruction>(value);
  if (!instruction) return {};
  if (gave_up_) return unknown();
  const auto known = sets_.find(instruction);
  return known == sets_.end() ? Set() : known->second;
}

DataSources::Set DataSources::contents(const Value* address) const {
  if (gave_up_) return unknown();
  const auto objects = memory_.private_objects(address);
  if (objects.empty()) return PrivateMemory::is_constant(address) ? of(address) : unknown();
  Set all = of(address);
  for (const Value* object : objects)
    if (const auto known = contents_.find(object); known != contents_.end()) all |= known->second;
  return all;
}

DataSources::Set DataSources::argument(const CallBase& call, unsigned number) const {
  const Value* value = call.getArgOperand(number);
  if (!call.isByValArgument(number)) return of(value);
  const auto read = rows_.by_value.find({&call, number});
  return read == rows_.by_value.end() ? contents(value) : load_at(read->second, false);
}

FactSources DataSources::list(const Set& set) const {
  FactSources sources;
  for (const unsigned number : set) {
    FactSource source = sources_[number / 2];
    source.every = (number & 1) != 0;
    // Every instance: the latest is one of them.
    if (source.every || !set.test(number | 1)) sources.push_back(source);
  }
  llvm::sort(sources);
  return sources;
}

bool DataSources::store(const Value* address, const Set& value, const Instruction& by) {
  Set stored = every(value);
  stored |= branches_before(by, true); // whether this or another store came last
  bool changed = false;
  for (const Value* object : memory_.private_objects(address)) changed |= contents_[object] |= stored;
  return changed;
}

bool DataSources::visit(const Instruction& instruction) {
  bool changed = false;
  if (!rows_.access.contains(&instruction)) {
    if (const auto* write = dyn_cast<StoreInst>(&instruction)) {
      changed |= store(write->getPointerOperand(), of(write->getValueOperand()), instruction);
    } else if (const auto* transfer = dyn_cast<MemIntrinsic>(&instruction)) {
      Set value;
      if (const auto* fill = dyn_cast<MemSetInst>(transfer)) value = of(fill->getValue());
      else if (const auto read = rows_.copied_from.find(transfer); read != rows_.copied_from.end())
        value = load_at(read->second, false);
      else value = contents(cast<MemTransferInst>(transfer)->getRawSource());
      changed |= store(transfer->getRawDest(), value, instruction);
    } else if (instruction.mayWriteToMemory() && !isa<CallBase>(instruction)) {
      if (const Value* address = atomic_address(instruction)) changed |= store(address, unknown(), instruction);
    } else if (const auto* intrinsic = dyn_cast<IntrinsicInst>(&instruction);
               intrinsic && !intrinsic->isAssumeLikeIntrinsic() && !intrinsic->onlyReadsMemory()) {
      for (const Use& operand : intrinsic->args())
        if (operand->getType()->isPointerTy()) changed |= store(operand.get(), unknown(), instruction);
    }
  }
  if (instruction.getType()->isVoidTy()) return changed;
  const Set made = result(instruction);
  return (sets_[&instruction] |= made) || changed;
}

DataSources::Set DataSources::operands(const Instruction& instruction) const {
  Set all;
  for (const Use& operand : instruction.operands()) all |= of(operand.get());
  return all;
}

DataSources::Set DataSources::result(const Instruction& instruction) const {
  if (const auto recorded = rows_.access.find(&instruction); recorded != rows_.access.end()) {
    Set seen = load_at(recorded->second, false);
    // Whether a compare-exchange succeeded depends on the expected value; a masked load has lanes
    // that are not loaded.
    if (isa<AtomicCmpXchgInst, IntrinsicInst>(instruction)) seen |= operands(instruction);
    return seen;
  }
  if (const auto* merge = dyn_cast<PHINode>(&instruction)) return phi(*merge);
  if (const auto* load = dyn_cast<LoadInst>(&instruction)) return contents(load->getPointerOperand());
  if (isa<AllocaInst>(instruction)) return {};
  if (isa<LandingPadInst, VAArgInst, CatchPadInst, CleanupPadInst, AtomicRMWInst, AtomicCmpXchgInst>(instruction))
    return unknown();
  const auto* call = dyn_cast<CallBase>(&instruction);
  if (!call) return operands(instruction);
  if (call->isInlineAsm()) return unknown();
  if (isa<IntrinsicInst>(call)) {
    if (call->getIntrinsicID() == Intrinsic::threadlocal_address) return {};
    const bool reads = call->mayReadFromMemory() && !cast<IntrinsicInst>(call)->isAssumeLikeIntrinsic();
    return reads ? unknown() : operands(instruction);
  }
  Set all = of(call->getCalledOperand());
  for (unsigned i = 0; i < call->arg_size(); ++i) all |= argument(*call, i);
  const auto row = rows_.call.find(call);
  if (row == rows_.call.end()) return is_real_call(*call) ? unknown() : all;
  const trace::CallEffect effect = effects_.effect_of(*call);
  if (effect == trace::CallEffect::None) return all;
  if (effect == trace::CallEffect::Known) all |= load_at(row->second, true); // what an interceptor reads
  all |= one({SourceKind::CallResult, false, row->second});
  return all;
}

DataSources::Set DataSources::phi(const PHINode& phi) const {
  Set all;
  const bool chooses = !phi.hasConstantOrUndefValue();
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    const BasicBlock* from = phi.getIncomingBlock(i);
    const bool again = retreating_.contains({from, phi.getParent()});
    const Set value = of(phi.getIncomingValue(i));
    all |= again ? every(value) : value;
    if (chooses) all |= branches_before(*from->getTerminator(), again);
  }
  return all;
}

DataSources::Set DataSources::returned(const Function& function) const {
  Set all;
  for (const BasicBlock& block : function) {
    const auto* back = dyn_cast_or_null<ReturnInst>(block.getTerminator());
    if (!back || !back->getReturnValue()) continue;
    all |= of(back->getReturnValue());
    all |= branches_before(*back, false); // this one, not another
  }
  return all;
}

// The decisions by which this instruction was reached; of a terminator, also its own way.
DataSources::Set DataSources::branches_before(const Instruction& instruction, bool every) const {
  Set all;
  const auto add = [&](const Instruction& decider) {
    if (const auto row = rows_.decision.find(&decider); row != rows_.decision.end())
      all.set(number_of({SourceKind::Branch, every, row->second}));
  };
  for (const Instruction* parent : control_.parents(instruction, kClassic)) add(*parent);
  if (instruction.isTerminator()) add(instruction);
  return all;
}

} // namespace sooth::pass
