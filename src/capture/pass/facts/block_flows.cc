#include "capture/pass/facts/block_flows.h"

#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace sooth::pass {

using namespace llvm;

namespace {

constexpr unsigned kMostValues = 64;     // that one load's value is followed through
constexpr unsigned kMostUses = 256;      // of a stack slot
constexpr unsigned kMostBetween = 256;   // instructions from a load to its last store
constexpr unsigned kLongestBlock = 1024; // from the store to a slot to the end of its block

bool is_harmless_call(const CallBase& call) {
  const auto* intrinsic = dyn_cast<IntrinsicInst>(&call);
  if (!intrinsic) return false;
  if (intrinsic->isAssumeLikeIntrinsic()) return true; // also lifetimes and what debuggers want
  return intrinsic->doesNotAccessMemory() && !intrinsic->mayHaveSideEffects();
}

bool is_register_use(const AllocaInst& slot, const User* user) {
  if (const auto* load = dyn_cast<LoadInst>(user))
    return load->isSimple() && load->getType() == slot.getAllocatedType();
  if (const auto* store = dyn_cast<StoreInst>(user))
    return store->isSimple() && store->getPointerOperand() == &slot && store->getValueOperand() != &slot &&
           store->getValueOperand()->getType() == slot.getAllocatedType();
  const auto* intrinsic = dyn_cast<IntrinsicInst>(user);
  return intrinsic && intrinsic->isLifetimeStartOrEnd();
}

// A load that no store to the slot precedes in its own block.
bool has_exposed_load(const AllocaInst& slot) {
  return any_of(slot.users(), [&](const User* user) {
    const auto* load = dyn_cast<LoadInst>(user);
    return load && none_of(slot.users(), [&](const User* other) {
             const auto* store = dyn_cast<StoreInst>(other);
             return store && store->getParent() == load->getParent() && store->comesBefore(load);
           });
  });
}

} // namespace

const AllocaInst* Slots::of(const Value* address) {
  const auto* slot = dyn_cast<AllocaInst>(address);
  if (!slot) return nullptr;
  const auto [known, fresh] = known_.try_emplace(slot, false);
  if (fresh)
    known->second = !slot->hasNUsesOrMore(kMostUses) &&
                    all_of(slot->users(), [&](const User* user) { return is_register_use(*slot, user); });
  return known->second ? slot : nullptr;
}

const StoreInst* Slots::only_store(const AllocaInst& slot) {
  const StoreInst* found = nullptr;
  for (const User* user : slot.users())
    if (const auto* store = dyn_cast<StoreInst>(user)) {
      if (found) return nullptr;
      found = store;
    }
  return found;
}

bool only_computes(const Instruction& user, const Value& operand) {
  if (user.getType()->isPtrOrPtrVectorTy()) return false;
  if (isa<UnaryOperator, CastInst, CmpInst, SelectInst, FreezeInst>(user)) return true;
  if (const auto* binary = dyn_cast<BinaryOperator>(&user)) {
    if (!binary->isIntDivRem()) return true;
    const auto* divisor = dyn_cast<ConstantInt>(binary->getOperand(1));
    return binary->getOperand(0) == &operand && divisor && !divisor->isZero() && !divisor->isMinusOne();
  }
  const auto* call = dyn_cast<CallBase>(&user);
  return call && is_harmless_call(*call) && !call->getType()->isVoidTy();
}

bool Address::is_fixed() const {
  if (const auto* variable = dyn_cast<GlobalVariable>(base)) return !variable->isThreadLocal();
  return isa<Argument>(base);
}

std::uint32_t BlockFlows::bytes_of(const LoadInst& load) const {
  return static_cast<std::uint32_t>(layout_.getTypeStoreSize(load.getType()).getFixedValue());
}

// From the block's end on: the flows of later loads are known.
std::vector<Flow> BlockFlows::of(const BasicBlock& block) {
  std::vector<Flow> found;
  Known later;
  for (const Instruction& instruction : reverse(block)) {
    const auto* load = dyn_cast<LoadInst>(&instruction);
    if (!load || !hooks_.loads.contains(load)) continue;
    Flow flow{load, {}};
    if (!is_plain(*load) || !follow(flow) || !nothing_between(flow, later)) continue;
    later[load] = flow.stores;
    found.push_back(std::move(flow));
  }
  return found;
}

// The source may compute it twice, and -O0 does. A slot that is stored once holds the same value at
// both places, if the store does not stand between them.
Address BlockFlows::address_of(const Value* pointer, const BasicBlock& block, unsigned depth) {
  constexpr unsigned kDeepest = 8; // a slot may be stored from itself
  APInt offset(layout_.getIndexTypeSizeInBits(pointer->getType()), 0);
  const Value* base = pointer->stripAndAccumulateConstantOffsets(layout_, offset, /*AllowNonInbounds=*/true);
  const auto* load = dyn_cast<LoadInst>(base);
  const AllocaInst* slot = load && depth < kDeepest ? slots_.of(load->getPointerOperand()) : nullptr;
  const StoreInst* store = slot ? Slots::only_store(*slot) : nullptr;
  const bool once = store && (store->getParent() != &block || (block.isEntryBlock() && store->comesBefore(load)));
  if (!once) return {base, offset.getSExtValue()};
  const Address stored = address_of(store->getValueOperand(), block, depth + 1);
  return {stored.base, stored.offset + offset.getSExtValue()};
}

bool BlockFlows::is_plain(const LoadInst& load) const {
  return load.isSimple() && load.getType()->isSingleValueType() && !load.getType()->isPtrOrPtrVectorTy() &&
         bytes_of(load) <= 8;
}

// False: the value may decide something.
bool BlockFlows::follow(Flow& flow) {
  const BasicBlock& block = *flow.load->getParent();
  SmallVector<const Value*, 8> open = {flow.load};
  Values seen = {flow.load};
  while (!open.empty()) {
    const Value* value = open.pop_back_val();
    for (const Use& use : value->uses()) {
      const auto* user = dyn_cast<Instruction>(use.getUser());
      if (!user || user->getParent() != &block) return false;
      if (const auto* store = dyn_cast<StoreInst>(user)) {
        if (store->getValueOperand() != value || store->getPointerOperand() == value || !store->isSimple())
          return false;
        if (hooks_.stores.contains(store)) flow.stores.push_back(store);
        else if (!follow_slot(*store, open, seen)) return false;
        continue;
      }
      if (!only_computes(*user, *value)) return false;
      if (seen.insert(user).second) open.push_back(user);
      if (seen.size() > kMostValues) return false;
    }
  }
  sort(flow.stores, [](const StoreInst* a, const StoreInst* b) { return a->comesBefore(b); });
  flow.stores.erase(unique(flow.stores), flow.stores.end());
  return !flow.stores.empty();
}

// The loads of the slot that may see what this store leaves in it.
bool BlockFlows::follow_slot(const StoreInst& store, SmallVectorImpl<const Value*>& open, Values& seen) {
  const AllocaInst* slot = slots_.of(store.getPointerOperand());
  if (!slot) return false;
  unsigned looked_at = 0;
  for (const Instruction* next = store.getNextNode(); next; next = next->getNextNode()) {
    if (++looked_at > kLongestBlock) return false;
    if (const auto* other = dyn_cast<StoreInst>(next); other && other->getPointerOperand() == slot) return true;
    const auto* load = dyn_cast<LoadInst>(next);
    if (load && load->getPointerOperand() == slot && seen.insert(load).second) open.push_back(load);
  }
  return !has_exposed_load(*slot); // none in another block, nor in this one when it runs again
}

// Between the load and its last store, nothing leaves the block, synchronises or runs unseen
// code. A load of the same bytes before the first store may be left out of the trace as a repeat
// of this one: what becomes of its value counts here, too.
bool BlockFlows::nothing_between(Flow& flow, const Known& later) {
  const BasicBlock& block = *flow.load->getParent();
  const StoreInst* first = flow.stores.front();
  const StoreInst* last = flow.stores.back();
  SmallVector<const StoreInst*, 4> more;
  bool before_first = true;
  unsigned looked_at = 0;
  for (const Instruction* next = flow.load->getNextNode(); next != last; next = next->getNextNode()) {
    if (++looked_at > kMostBetween) return false;
    if (next == first) before_first = false;
    if (next->isAtomic() || next->isVolatile()) return false;
    if (const auto* call = dyn_cast<CallBase>(next); call && !is_harmless_call(*call)) return false;
    const auto* load = dyn_cast<LoadInst>(next);
    if (!before_first || !load || !hooks_.loads.contains(load) || !may_be_same(*flow.load, *load, block)) continue;
    const auto known = later.find(load);
    if (known == later.end()) return false;
    more.append(known->second.begin(), known->second.end());
  }
  for (const StoreInst* store : more)
    if (!is_contained(flow.stores, store)) flow.stores.push_back(store);
  return true;
}

bool BlockFlows::may_be_same(const LoadInst& a, const LoadInst& b, const BasicBlock& block) {
  if (bytes_of(a) != bytes_of(b)) return false; // a repeat has the same size
  const Address left = address_of(a.getPointerOperand(), block), right = address_of(b.getPointerOperand(), block);
  if (left.base == right.base) return left.offset == right.offset;
  return !isa<GlobalVariable>(left.base) || !isa<GlobalVariable>(right.base);
}

} // namespace sooth::pass
