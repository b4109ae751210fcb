#include "capture/pass/facts/static_stores.h"

#include <utility>
#include <vector>

#include "capture/pass/facts/call_effects.h"
#include "trace/fact_numbers.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace sooth::pass {

using namespace llvm;

namespace {

// Code of -O0 keeps parameters in stack slots that are stored once.
const Value* object_of(const Value* address, Slots& slots) {
  constexpr unsigned kDeepest = 8; // a slot may be stored from itself
  for (unsigned depth = 0; depth < kDeepest; ++depth) {
    address = getUnderlyingObject(address, 0);
    const auto* load = dyn_cast<LoadInst>(address);
    const AllocaInst* slot = load ? slots.of(load->getPointerOperand()) : nullptr;
    const StoreInst* stored = slot ? Slots::only_store(*slot) : nullptr;
    if (!stored) return address;
    address = stored->getValueOperand();
  }
  return address;
}

// A variable that is only declared may belong to a library without hooks, unless it lies in the
// same object.
bool is_static(const Value* object) {
  const auto* variable = dyn_cast<GlobalVariable>(object);
  return variable && !variable->isThreadLocal() && variable->getAddressSpace() == 0 &&
         (!variable->isDeclarationForLinker() || variable->isDSOLocal());
}

// A pointer that the caller has passed, not to a copy in this activation's frame.
const Argument* passed_pointer(const Value* object) {
  const auto* argument = dyn_cast<Argument>(object);
  return argument && !argument->hasPassPointeeByValueCopyAttr() ? argument : nullptr;
}

bool finds_functions_by_name(const Function& function) {
  return !function.use_empty() && (function.getName() == "dlsym" || function.getName() == "dlvsym");
}

// Code without hooks may call it: it may stand in the place of a function of the library.
bool is_called_by_others(const Function& function) {
  return function.getName() == "main" || function.hasAddressTaken() || has_library_name(function) ||
         function.getName().starts_with("_Zd"); // operator delete
}

} // namespace

Sinks& StaticStores::behind(const Argument& pointer, FunctionNumbers& numbers) {
  return pointers_[{numbers.of(*pointer.getParent()), (pointer.getArgNo() + 1) | trace::kPointedTo}];
}

void StaticStores::begin(const Module& module, FunctionNumbers& numbers) {
  for (const Function& function : module) {
    if (function.isIntrinsic()) continue;
    finds_functions_ = finds_functions_ || finds_functions_by_name(function);
    if (!is_called_by_others(function)) continue;
    for (const Argument& argument : function.args())
      if (argument.getType()->isPointerTy()) behind(argument, numbers).decides = true;
  }
}

void StaticStores::add_function(const Function& function, const HookedValues& hooks, FunctionNumbers& numbers) {
  known_.insert(numbers.of(function));
  Slots slots;
  for (const auto& [write, row] : hooks.stores) store(*cast<StoreInst>(write), row, slots, numbers);
  for (const Instruction& instruction : instructions(function))
    if (const auto* some = dyn_cast<CallBase>(&instruction)) call(*some, slots, numbers);
}

void StaticStores::store(const StoreInst& store, std::uint32_t row, Slots& slots, FunctionNumbers& numbers) {
  const Value* object = object_of(store.getPointerOperand(), slots);
  if (const Argument* pointer = passed_pointer(object)) behind(*pointer, numbers).stores.insert(row);
  else if (!is_static(object)) elsewhere_.insert(row);
}

void StaticStores::call(const CallBase& call, Slots& slots, FunctionNumbers& numbers) {
  const auto* callee = dyn_cast<Function>(call.getCalledOperand()->stripPointerCasts());
  if (!callee || callee->isIntrinsic() || is_library_function(*callee)) return;
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    if (!call.getArgOperand(i)->getType()->isPointerTy()) continue;
    const PassedSlot slot{numbers.of(*callee), (i + 1) | trace::kPointedTo};
    const Value* object = object_of(call.getArgOperand(i), slots);
    if (const Argument* pointer = passed_pointer(object)) behind(*pointer, numbers).slots.insert(slot);
    else if (!is_static(object)) pointers_[slot].decides = true;
  }
}

// A pointer to anywhere is passed on as one.
std::map<PassedSlot, Sinks> StaticStores::closed() const {
  std::map<PassedSlot, Sinks> all = pointers_;
  std::vector<PassedSlot> open;
  for (const auto& [slot, sinks] : pointers_)
    if (sinks.decides) open.push_back(slot);
  while (!open.empty()) {
    const std::set<PassedSlot> next = all[open.back()].slots;
    open.pop_back();
    for (const PassedSlot& slot : next)
      if (bool& anywhere = all[slot].decides; !std::exchange(anywhere, true)) open.push_back(slot);
  }
  return all;
}

void StaticStores::keep_static(std::set<std::uint32_t>& rows) const {
  std::erase_if(rows, [&](std::uint32_t row) { return elsewhere_.contains(row); });
  for (const auto& [slot, sinks] : closed())
    if (sinks.decides)
      for (const std::uint32_t row : sinks.stores) rows.erase(row);
}

// Other modules need to know of functions that have no code here, and of what may be passed to
// those that store.
std::map<PassedSlot, Sinks> StaticStores::passed() const {
  std::map<PassedSlot, Sinks> all = closed();
  std::erase_if(all, [&](const auto& one) {
    return known_.contains(one.first.function) && one.second.stores.empty() && one.second.slots.empty();
  });
  return all;
}

} // namespace sooth::pass
