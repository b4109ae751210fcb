#include "capture/pass/library_orders.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/AtomicOrdering.h"

namespace sooth::pass {

using namespace llvm;

namespace {

bool unlocks_shared_pointer(StringRef name) {
  return name.starts_with("_ZNKSt10_Sp_atomicI") && name.contains("13_Atomic_count") &&
         name.ends_with("unlockESt12memory_order");
}

} // namespace

bool strengthen_library_orders(Function& function) {
  if (!unlocks_shared_pointer(function.getName())) return false;
  bool changed = false;
  for (Instruction& i : instructions(function)) {
    auto* call = dyn_cast<CallBase>(&i);
    const Function* callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || !callee->getName().contains("9fetch_subE") || call->arg_size() != 3) continue;
    Value* order = call->getArgOperand(2);
    if (!order->getType()->isIntegerTy()) continue;
    IRBuilder<> builder(call);
    const auto number = [&](AtomicOrderingCABI value) {
      return ConstantInt::get(order->getType(), static_cast<std::uint64_t>(value));
    };
    Value* strongest = number(AtomicOrderingCABI::seq_cst);
    call->setArgOperand(2, builder.CreateSelect(builder.CreateICmpEQ(order, strongest), strongest,
                                                number(AtomicOrderingCABI::release)));
    changed = true;
  }
  return changed;
}

} // namespace sooth::pass
