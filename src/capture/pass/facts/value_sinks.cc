#include "capture/pass/facts/value_sinks.h"

#include "capture/pass/facts/call_effects.h"
#include "capture/pass/facts/only_looks.h"
#include "llvm/IR/IntrinsicInst.h"

namespace sooth::pass {

using namespace llvm;

namespace {

constexpr unsigned kMostSinkValues = 256; // that one value is followed through
constexpr unsigned kMostSinkUses = 1024;  // of a private object

// The user makes another value of it, whatever it is, and nothing else.
bool carries(const Instruction& user, const Value& value) {
  if (user.getType()->isPtrOrPtrVectorTy()) return false;
  if (isa<PHINode, ExtractValueInst, InsertValueInst, ShuffleVectorInst>(user)) return true;
  if (isa<ExtractElementInst, InsertElementInst>(user)) return user.getOperand(user.getNumOperands() - 1) != &value;
  return only_computes(user, value);
}

bool is_pointer_step(const User* user) {
  return isa<GetElementPtrInst, BitCastInst, AddrSpaceCastInst, PHINode, SelectInst, FreezeInst>(user);
}

// It does not read the object, and what it does to it, it does whatever is in it.
bool reads_nothing(const User* user, const Value* pointer) {
  if (const auto* store = dyn_cast<StoreInst>(user)) return store->getValueOperand() != pointer;
  if (isa<ICmpInst, MemSetInst>(user)) return true;
  if (const auto* copy = dyn_cast<MemTransferInst>(user)) return copy->getRawSource() != pointer;
  const auto* intrinsic = dyn_cast<IntrinsicInst>(user);
  return intrinsic && intrinsic->isAssumeLikeIntrinsic();
}

} // namespace

void Sinks::add(const Sinks& other) {
  stores.insert(other.stores.begin(), other.stores.end());
  slots.insert(other.slots.begin(), other.slots.end());
  decides = decides || other.decides;
  printed = printed || other.printed;
}

std::uint32_t FunctionNumbers::of(const Function& function) {
  const auto [known, fresh] = numbers_.try_emplace(&function, static_cast<std::uint32_t>(all_.size()));
  if (fresh) all_.push_back(&function);
  return known->second;
}

Sinks ValueSinks::of(const Value& value) {
  Sinks sinks;
  open_ = {&value};
  met_ = {&value};
  while (!open_.empty() && !sinks.decides) {
    const Value* next = open_.pop_back_val();
    for (const Use& each : next->uses()) {
      use(each, sinks);
      if (sinks.decides) break;
    }
    if (met_.size() > kMostSinkValues) sinks.decides = true;
  }
  return sinks;
}

void ValueSinks::follow(const Value& value) {
  if (met_.insert(&value).second) open_.push_back(&value);
}

void ValueSinks::use(const Use& use, Sinks& sinks) {
  const Value& value = *use.get();
  const auto* user = dyn_cast<Instruction>(use.getUser());
  if (!user) sinks.decides = true;
  else if (const auto atomic = hooks_.atomics.find(user); atomic != hooks_.atomics.end())
    store_atomically(*user, atomic->second, use, sinks);
  else if (const auto* write = dyn_cast<StoreInst>(user)) store(*write, value, sinks);
  else if (const auto* call = dyn_cast<CallBase>(user); call && !isa<IntrinsicInst>(call)) pass(*call, use, sinks);
  else if (isa<ReturnInst>(user)) sinks.slots.insert({numbers_.of(function_), 0});
  else if (carries(*user, value)) follow(*user);
  else sinks.decides = true;
}

void ValueSinks::store(const StoreInst& store, const Value& value, Sinks& sinks) {
  if (store.getPointerOperand() == &value || !store.isSimple()) {
    sinks.decides = true;
    return;
  }
  if (const auto row = hooks_.stores.find(&store); row != hooks_.stores.end()) {
    sinks.stores.insert(row->second);
    return;
  }
  const auto objects = memory_.private_objects(store.getPointerOperand());
  if (objects.empty() || store.hasMetadata(LLVMContext::MD_nosanitize)) sinks.decides = true;
  for (const Value* object : objects) {
    const std::optional<Loads>& loads = loads_of(*object);
    if (!loads) sinks.decides = true;
    else
      for (const LoadInst* load : *loads) follow(*load);
  }
}

// Atomic operations are always recorded. A compare-exchange compares; the result of an update comes
// from memory, not from its operand.
void ValueSinks::store_atomically(const Instruction& atomic, std::uint32_t row, const Use& use, Sinks& sinks) {
  const auto* write = dyn_cast<StoreInst>(&atomic);
  const auto* update = dyn_cast<AtomicRMWInst>(&atomic);
  const bool stores = (write && !write->isVolatile() && use.getOperandNo() != write->getPointerOperandIndex()) ||
                      (update && !update->isVolatile() && use.getOperandNo() != update->getPointerOperandIndex());
  if (stores) sinks.stores.insert(row);
  else sinks.decides = true;
}

void ValueSinks::pass(const CallBase& call, const Use& use, Sinks& sinks) {
  const Function* callee = call.getCalledFunction();
  if (!callee || !call.isArgOperand(&use) || callee->getFunctionType() != call.getFunctionType()) {
    sinks.decides = true;
    return;
  }
  const unsigned argument = call.getArgOperandNo(&use);
  if (only_looks(call, argument, seen_.only_look)) {
    sinks.printed = true;
    if (!call.getType()->isPtrOrPtrVectorTy()) follow(call); // how much was printed
    return;
  }
  const bool is_parameter = argument < callee->arg_size() && !callee->hasFnAttribute(Attribute::Naked);
  if (!is_parameter || callee->isIntrinsic() || is_library_function(*callee)) sinks.decides = true;
  else sinks.slots.insert({numbers_.of(*callee), argument + 1});
}

const std::optional<ValueSinks::Loads>& ValueSinks::loads_of(const Value& object) {
  const auto [known, fresh] = loads_.try_emplace(&object, std::nullopt);
  if (!fresh || !isa<AllocaInst>(object)) return known->second;
  Loads loads;
  SmallVector<const Value*, 8> pointers = {&object};
  DenseSet<const Value*> met = {&object};
  unsigned uses = 0;
  while (!pointers.empty()) {
    const Value* pointer = pointers.pop_back_val();
    for (const User* user : pointer->users()) {
      if (++uses > kMostSinkUses) return known->second;
      const auto* load = dyn_cast<LoadInst>(user);
      if (load && !load->getType()->isPtrOrPtrVectorTy() && !hooks_.loads.contains(load)) loads.push_back(load);
      else if (!load && is_pointer_step(user)) {
        if (met.insert(user).second) pointers.push_back(user);
      } else if (load || !reads_nothing(user, pointer)) {
        return known->second;
      }
    }
  }
  known->second = std::move(loads);
  return known->second;
}

} // namespace sooth::pass
