#include "capture/pass/atomics.h"

#include <optional>

#include "capture/abi.h"
#include "trace/format.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/AtomicOrdering.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

namespace sooth::pass {

using namespace llvm;

namespace {

std::uint32_t order_number(AtomicOrdering order) {
  using trace::MemoryOrder;
  auto number = [](MemoryOrder o) { return static_cast<std::uint32_t>(o); };
  switch (order) {
  case AtomicOrdering::NotAtomic: return number(MemoryOrder::Plain);
  case AtomicOrdering::Unordered:
  case AtomicOrdering::Monotonic: return number(MemoryOrder::Relaxed);
  case AtomicOrdering::Acquire: return number(MemoryOrder::Acquire);
  case AtomicOrdering::Release: return number(MemoryOrder::Release);
  case AtomicOrdering::AcquireRelease: return number(MemoryOrder::AcqRel);
  case AtomicOrdering::SequentiallyConsistent: return number(MemoryOrder::SeqCst);
  }
  return number(MemoryOrder::SeqCst);
}

std::optional<std::uint32_t> operation_number(AtomicRMWInst::BinOp operation) {
  switch (operation) {
  case AtomicRMWInst::Xchg: return kRmwXchg;
  case AtomicRMWInst::Add: return kRmwAdd;
  case AtomicRMWInst::Sub: return kRmwSub;
  case AtomicRMWInst::And: return kRmwAnd;
  case AtomicRMWInst::Nand: return kRmwNand;
  case AtomicRMWInst::Or: return kRmwOr;
  case AtomicRMWInst::Xor: return kRmwXor;
  case AtomicRMWInst::Max: return kRmwMax;
  case AtomicRMWInst::Min: return kRmwMin;
  case AtomicRMWInst::UMax: return kRmwUMax;
  case AtomicRMWInst::UMin: return kRmwUMin;
  default: return std::nullopt; // floating-point arithmetic, wrapping counters
  }
}

Align atomic_align(const Instruction& instruction) {
  if (const auto* load = dyn_cast<LoadInst>(&instruction)) return load->getAlign();
  if (const auto* store = dyn_cast<StoreInst>(&instruction)) return store->getAlign();
  if (const auto* update = dyn_cast<AtomicRMWInst>(&instruction)) return update->getAlign();
  return cast<AtomicCmpXchgInst>(instruction).getAlign();
}

// One atomic instruction on its way to a call: the hooks take integers.
class Rewrite {
public:
  Rewrite(FunctionContext& function, Instruction& instruction, std::uint32_t row)
      : context_(function.context), instruction_(instruction), row_(row), at_(&instruction) {
    if (Type* type = atomic_type(instruction)) {
      type_ = type;
      size_ = static_cast<unsigned>(context_.layout.getTypeStoreSize(type).getFixedValue());
      number_ = at_.getIntNTy(size_ * 8);
    }
  }

  void run() {
    if (auto* fence = dyn_cast<FenceInst>(&instruction_)) {
      context_.call(at_, "__sooth_fence", context_.void_type, {order(fence->getOrdering()), site()});
      return;
    }
    if (auto* load = dyn_cast<LoadInst>(&instruction_)) {
      replace(from_number(call("load", number_, {load->getPointerOperand(), order(load->getOrdering()), site()})));
    } else if (auto* store = dyn_cast<StoreInst>(&instruction_)) {
      call("store", context_.void_type,
           {store->getPointerOperand(), to_number(store->getValueOperand()), order(store->getOrdering()), site()});
      instruction_.eraseFromParent();
    } else if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction_)) {
      compare_exchange(*exchange);
    } else {
      update(cast<AtomicRMWInst>(instruction_));
    }
  }

private:
  Value* order(AtomicOrdering o) { return ConstantInt::get(context_.i32, order_number(o)); }
  Value* site() { return context_.site_number(at_, row_); }
  Value* call(StringRef what, Type* result, ArrayRef<Value*> arguments) {
    return context_.call(at_, ("__sooth_atomic_" + what + Twine(size_)).str(), result, arguments);
  }
  Value* to_number(Value* value) {
    if (value->getType()->isPointerTy()) return at_.CreatePtrToInt(value, number_);
    const auto bits = static_cast<unsigned>(context_.layout.getTypeSizeInBits(type_).getFixedValue());
    return at_.CreateZExt(at_.CreateBitCast(value, at_.getIntNTy(bits)), number_);
  }
  Value* from_number(Value* value) {
    if (type_->isPointerTy()) return at_.CreateIntToPtr(value, type_);
    const auto bits = static_cast<unsigned>(context_.layout.getTypeSizeInBits(type_).getFixedValue());
    return at_.CreateBitCast(at_.CreateTrunc(value, at_.getIntNTy(bits)), type_);
  }
  void replace(Value* value) {
    if (!isa<Constant>(value)) value->takeName(&instruction_);
    instruction_.replaceAllUsesWith(value);
    instruction_.eraseFromParent();
  }

  void compare_exchange(AtomicCmpXchgInst& exchange) {
    Value* expected = to_number(exchange.getCompareOperand());
    Value* old = call("cas", number_,
                      {exchange.getPointerOperand(), expected, to_number(exchange.getNewValOperand()),
                       order(exchange.getSuccessOrdering()), order(exchange.getFailureOrdering()), site()});
    Value* pair = at_.CreateInsertValue(PoisonValue::get(exchange.getType()), from_number(old), 0);
    replace(at_.CreateInsertValue(pair, at_.CreateICmpEQ(old, expected), 1));
  }

  void update(AtomicRMWInst& instruction) {
    if (auto operation = operation_number(instruction.getOperation())) {
      replace(
          from_number(call("rmw", number_,
                           {instruction.getPointerOperand(), to_number(instruction.getValOperand()),
                            ConstantInt::get(context_.i32, *operation), order(instruction.getOrdering()), site()})));
      return;
    }
    update_in_loop(instruction);
  }

  //     old = *p;  do { seen = old; old = cas(p, seen, f(seen)) } while (old != seen)
  // The first load is only a guess, and not recorded: a wrong guess shows as a failed
  // compare-exchange.
  void update_in_loop(AtomicRMWInst& instruction) {
    LoadInst* guess = at_.CreateAlignedLoad(number_, instruction.getPointerOperand(), instruction.getAlign());
    guess->setAtomic(AtomicOrdering::Monotonic);
    BasicBlock* before = instruction.getParent();
    BasicBlock* after = SplitBlock(before, instruction.getIterator());
    BasicBlock* loop = BasicBlock::Create(before->getContext(), "", before->getParent(), after);
    cast<BranchInst>(before->getTerminator())->setSuccessor(0, loop);

    at_.SetInsertPoint(loop);
    at_.SetCurrentDebugLocation(instruction.getDebugLoc());
    PHINode* seen = at_.CreatePHI(number_, 2);
    Value* next = buildAtomicRMWValue(instruction.getOperation(), at_, from_number(seen), instruction.getValOperand());
    Value* old = call("cas", number_,
                      {instruction.getPointerOperand(), seen, to_number(next), order(instruction.getOrdering()),
                       order(AtomicCmpXchgInst::getStrongestFailureOrdering(instruction.getOrdering())), site()});
    seen->addIncoming(guess, before);
    seen->addIncoming(old, loop);
    at_.CreateCondBr(at_.CreateICmpEQ(old, seen), after, loop);
    at_.SetInsertPoint(&instruction);
    replace(from_number(old));
  }

  ModuleContext& context_;
  Instruction& instruction_;
  std::uint32_t row_;
  Builder at_;
  Type* type_ = nullptr;
  unsigned size_ = 0;
  IntegerType* number_ = nullptr;
};

} // namespace

const Value* atomic_address(const Instruction& instruction) {
  if (const auto* load = dyn_cast<LoadInst>(&instruction)) return load->getPointerOperand();
  if (const auto* store = dyn_cast<StoreInst>(&instruction)) return store->getPointerOperand();
  if (const auto* update = dyn_cast<AtomicRMWInst>(&instruction)) return update->getPointerOperand();
  if (const auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) return exchange->getPointerOperand();
  return nullptr;
}

Type* atomic_type(const Instruction& instruction) {
  if (const auto* load = dyn_cast<LoadInst>(&instruction)) return load->getType();
  if (const auto* store = dyn_cast<StoreInst>(&instruction)) return store->getValueOperand()->getType();
  if (const auto* update = dyn_cast<AtomicRMWInst>(&instruction)) return update->getValOperand()->getType();
  if (const auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) return exchange->getNewValOperand()->getType();
  return nullptr;
}

bool is_followed_atomic(const ModuleContext& context, const Instruction& instruction) {
  if (!instruction.isAtomic()) return false;
  if (const auto scope = getAtomicSyncScopeID(&instruction); !scope || *scope == SyncScope::SingleThread) return false;
  if (isa<FenceInst>(instruction)) return true;
  const Value* address = atomic_address(instruction);
  if (!address || address->getType()->getPointerAddressSpace() != 0) return false;
  const std::uint64_t size = context.layout.getTypeStoreSize(atomic_type(instruction)).getFixedValue();
  const bool has_hook = size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
  return has_hook && atomic_align(instruction).value() >= size;
}

void instrument_atomic(FunctionContext& function, Instruction& instruction, std::uint32_t row) {
  Rewrite(function, instruction, row).run();
}

} // namespace sooth::pass
