#include "capture/pass/private_memory.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

namespace sooth::pass {

using namespace llvm;

namespace {

constexpr unsigned kMaxUses = 4096;

SmallVector<const Value*, 4> objects_of(const Value* address) {
  SmallVector<const Value*, 4> objects;
  getUnderlyingObjects(address, objects, nullptr, /*MaxLookup=*/0);
  // Depending on the function's kind LLVM stops at this intrinsic; it only says "this thread's
  // copy".
  for (const Value*& object : objects)
    if (const auto* call = dyn_cast<IntrinsicInst>(object);
        call && call->getIntrinsicID() == Intrinsic::threadlocal_address)
      object = call->getArgOperand(0);
  return objects;
}

enum class UseKind { Harmless, Follow, Escape };

UseKind classify_call(const CallBase& call, const Use& use) {
  if (!call.isDataOperand(&use) || call.isBundleOperand(&use)) {
    const auto* intrinsic = dyn_cast<IntrinsicInst>(&call);
    return intrinsic && intrinsic->getIntrinsicID() == Intrinsic::assume ? UseKind::Harmless : UseKind::Escape;
  }
  const unsigned argument = call.getArgOperandNo(&use);
  if (call.isByValArgument(argument)) return UseKind::Harmless; // the callee gets a copy
  const auto* intrinsic = dyn_cast<IntrinsicInst>(&call);
  if (!intrinsic) return UseKind::Escape;
  switch (intrinsic->getIntrinsicID()) {
  case Intrinsic::launder_invariant_group:
  case Intrinsic::strip_invariant_group: return UseKind::Follow;
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
  case Intrinsic::objectsize:
  case Intrinsic::assume:
  case Intrinsic::vastart:
  case Intrinsic::vaend:
  case Intrinsic::vacopy:
  case Intrinsic::prefetch: return UseKind::Harmless;
  default: return call.doesNotCapture(argument) && !call.getType()->isPointerTy() ? UseKind::Harmless : UseKind::Escape;
  }
}

UseKind classify(const Use& use) {
  const auto* user = dyn_cast<Instruction>(use.getUser());
  if (!user) return UseKind::Escape;
  if (isa<LoadInst, ICmpInst>(user)) return UseKind::Harmless;
  if (isa<GetElementPtrInst, BitCastInst, AddrSpaceCastInst, PHINode, SelectInst, FreezeInst>(user))
    return UseKind::Follow;
  if (isa<StoreInst>(user))
    return use.getOperandNo() == StoreInst::getPointerOperandIndex() ? UseKind::Harmless : UseKind::Escape;
  if (isa<AtomicRMWInst>(user))
    return use.getOperandNo() == AtomicRMWInst::getPointerOperandIndex() ? UseKind::Harmless : UseKind::Escape;
  if (isa<AtomicCmpXchgInst>(user))
    return use.getOperandNo() == AtomicCmpXchgInst::getPointerOperandIndex() ? UseKind::Harmless : UseKind::Escape;
  if (const auto* call = dyn_cast<CallBase>(user)) return classify_call(*call, use);
  return UseKind::Escape;
}

// The byte that this use touches is decided at run time.
bool is_variable(const Use& use) {
  const User* user = use.getUser();
  if (const auto* step = dyn_cast<GetElementPtrInst>(user)) return !step->hasAllConstantIndices();
  if (const auto* transfer = dyn_cast<MemIntrinsic>(user)) return !isa<ConstantInt>(transfer->getLength());
  return isa<PHINode, SelectInst>(user);
}

// `root` is the object itself, or the intrinsic that gives its address; `object` is its name for
// getUnderlyingObjects.
bool escapes(const Value* root, const Value* object, bool fixed_only = false) {
  SmallVector<const Value*, 16> open = {root};
  DenseSet<const Value*> seen = {root};
  unsigned uses = 0;
  while (!open.empty()) {
    const Value* pointer = open.pop_back_val();
    for (const Use& use : pointer->uses()) {
      if (++uses > kMaxUses || (fixed_only && is_variable(use))) return true;
      const UseKind kind = classify(use);
      if (kind == UseKind::Escape) return true;
      if (kind == UseKind::Harmless) continue;
      const Value* user = use.getUser();
      if (!seen.insert(user).second) continue;
      // A pointer that may also lead elsewhere is treated as shared, so the objects it leads to
      // must be recorded, too.
      if (isa<PHINode, SelectInst>(user) &&
          !all_of(objects_of(user), [&](const Value* other) { return other == object; }))
        return true;
      open.push_back(user);
    }
  }
  return false;
}

} // namespace

DenseSet<const GlobalVariable*> private_thread_locals(const Module& module) {
  DenseSet<const GlobalVariable*> found;
  for (const GlobalVariable& variable : module.globals()) {
    if (!variable.isThreadLocal() || !variable.hasLocalLinkage()) continue;
    const bool stays = all_of(variable.users(), [&](const User* user) {
      const auto* call = dyn_cast<IntrinsicInst>(user);
      return call && call->getIntrinsicID() == Intrinsic::threadlocal_address && !escapes(call, &variable);
    });
    if (stays) found.insert(&variable);
  }
  return found;
}

bool PrivateMemory::object_is_private(const Value* object) {
  if (const auto* variable = dyn_cast<GlobalVariable>(object)) return thread_locals_.contains(variable);
  const auto* argument = dyn_cast<Argument>(object);
  if (!isa<AllocaInst>(object) && !(argument && argument->hasByValAttr())) return false;
  auto [entry, fresh] = known_.try_emplace(object, false);
  if (fresh) {
    const bool stays = !escapes(object, object, fixed_only_);
    known_[object] = stays;
    return stays;
  }
  return entry->second;
}

SmallVector<const Value*, 4> PrivateMemory::private_objects(const Value* address) {
  SmallVector<const Value*, 4> objects = objects_of(address);
  if (!all_of(objects, [&](const Value* object) { return object_is_private(object); })) objects.clear();
  return objects;
}

bool PrivateMemory::is_private(const Value* address) { return !private_objects(address).empty(); }

bool PrivateMemory::is_own_frame(const Value* address) {
  const SmallVector<const Value*, 4> objects = objects_of(address);
  return !objects.empty() && all_of(objects, [](const Value* object) { return isa<AllocaInst>(object); });
}

bool PrivateMemory::is_constant(const Value* address) {
  SmallVector<const Value*, 4> objects = objects_of(address);
  return !objects.empty() && all_of(objects, [](const Value* object) {
    if (const auto* variable = dyn_cast<GlobalVariable>(object)) return variable->isConstant();
    if (isa<Function>(object)) return true; // code
    // A table of virtual functions, reached through an object's pointer to it. That pointer itself
    // may change.
    const auto* load = dyn_cast<LoadInst>(object);
    const MDNode* tag = load ? load->getMetadata(LLVMContext::MD_tbaa) : nullptr;
    return tag && tag->isTBAAVtableAccess();
  });
}

} // namespace sooth::pass
