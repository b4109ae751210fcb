#include "capture/pass/facts/value_flows.h"

#include <algorithm>
#include <cstring>

#include "trace/fact_numbers.h"
#include "trace/format.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace sooth::pass {

using namespace llvm;

namespace {

constexpr unsigned kMostValues = 64; // that one load's value is followed through
constexpr unsigned kMostUses = 256;  // of a stack slot

bool is_harmless_call(const CallBase& call) {
  const auto* intrinsic = dyn_cast<IntrinsicInst>(&call);
  if (!intrinsic) return false;
  if (intrinsic->isAssumeLikeIntrinsic()) return true; // also lifetimes and what debuggers want
  return intrinsic->doesNotAccessMemory() && !intrinsic->mayHaveSideEffects();
}

// A result that is computed from the operands and from nothing else, whatever they are.
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

// A stack slot that could be a register: only whole loads and stores.
class Slots {
public:
  const AllocaInst* of(const Value* address) {
    const auto* slot = dyn_cast<AllocaInst>(address);
    if (!slot) return nullptr;
    const auto [known, fresh] = known_.try_emplace(slot, false);
    if (fresh) known->second = !slot->hasNUsesOrMore(kMostUses) && all_of(slot->users(), [&](const User* user) {
      if (const auto* load = dyn_cast<LoadInst>(user))
        return load->isSimple() && load->getType() == slot->getAllocatedType();
      if (const auto* store = dyn_cast<StoreInst>(user))
        return store->isSimple() && store->getPointerOperand() == slot && store->getValueOperand() != slot &&
               store->getValueOperand()->getType() == slot->getAllocatedType();
      const auto* intrinsic = dyn_cast<IntrinsicInst>(user);
      return intrinsic && intrinsic->isLifetimeStartOrEnd();
    });
    return known->second ? slot : nullptr;
  }
  // The store of a slot that is stored once.
  static const StoreInst* only_store(const AllocaInst& slot) {
    const StoreInst* found = nullptr;
    for (const User* user : slot.users())
      if (const auto* store = dyn_cast<StoreInst>(user)) {
        if (found) return nullptr;
        found = store;
      }
    return found;
  }

private:
  DenseMap<const AllocaInst*, bool> known_;
};

struct Address {
  const Value* base = nullptr;
  std::int64_t offset = 0;
  friend bool operator==(const Address&, const Address&) = default;
  // The same whenever this activation computes it.
  bool is_fixed() const {
    if (const auto* variable = dyn_cast<GlobalVariable>(base)) return !variable->isThreadLocal();
    return isa<Argument>(base);
  }
};

// The flows of one load, while they are found.
struct Flow {
  const LoadInst* load = nullptr;
  SmallVector<const StoreInst*, 4> stores; // in their order
};

class FlowsOfFunction {
public:
  FlowsOfFunction(const Function& function, const HookedValues& hooks)
      : layout_(function.getParent()->getDataLayout()), hooks_(hooks) {}

  std::uint32_t bytes_of(const LoadInst& load) const {
    return static_cast<std::uint32_t>(layout_.getTypeStoreSize(load.getType()).getFixedValue());
  }

  // From the block's end on: the flows of later loads are known.
  std::vector<Flow> flows_of(const BasicBlock& block) {
    std::vector<Flow> found;
    for (const Instruction& instruction : reverse(block)) {
      const auto* load = dyn_cast<LoadInst>(&instruction);
      if (!load || !hooks_.loads.contains(load)) continue;
      Flow flow{load, {}};
      if (!is_plain(*load) || !follow(flow) || !nothing_between(flow, found)) continue;
      found.push_back(std::move(flow));
    }
    return found;
  }

  // Sources may have computed the address twice, as -O0 does.
  Address address_of(const Value* pointer, const BasicBlock& block, unsigned depth = 0) {
    constexpr unsigned kDeepest = 8; // a slot may be stored from itself
    APInt offset(layout_.getIndexTypeSizeInBits(pointer->getType()), 0);
    const Value* base = pointer->stripAndAccumulateConstantOffsets(layout_, offset, /*AllowNonInbounds=*/true);
    if (const auto* load = dyn_cast<LoadInst>(base); load && depth < kDeepest)
      if (const AllocaInst* slot = slots_.of(load->getPointerOperand()))
        if (const StoreInst* store = Slots::only_store(*slot); store && store->getParent() != &block) {
          const Address stored = address_of(store->getValueOperand(), block, depth + 1);
          return {stored.base, stored.offset + offset.getSExtValue()};
        }
    return {base, offset.getSExtValue()};
  }

private:
  bool is_plain(const LoadInst& load) const {
    return load.isSimple() && load.getType()->isSingleValueType() && !load.getType()->isPtrOrPtrVectorTy() &&
           bytes_of(load) <= 8;
  }

  // False: the value may decide something.
  bool follow(Flow& flow) {
    const BasicBlock& block = *flow.load->getParent();
    SmallVector<const Value*, 8> open = {flow.load};
    DenseSet<const Value*> seen = {flow.load};
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
  bool follow_slot(const StoreInst& store, SmallVectorImpl<const Value*>& open, DenseSet<const Value*>& seen) {
    const AllocaInst* slot = slots_.of(store.getPointerOperand());
    if (!slot) return false;
    for (const Instruction* next = store.getNextNode(); next; next = next->getNextNode()) {
      if (const auto* other = dyn_cast<StoreInst>(next); other && other->getPointerOperand() == slot) return true;
      const auto* load = dyn_cast<LoadInst>(next);
      if (load && load->getPointerOperand() == slot && seen.insert(load).second) open.push_back(load);
    }
    return !has_exposed_load(*slot); // none in another block, nor in this one when it runs again
  }

  // A load that no store to the slot precedes in its own block.
  static bool has_exposed_load(const AllocaInst& slot) {
    return any_of(slot.users(), [&](const User* user) {
      const auto* load = dyn_cast<LoadInst>(user);
      return load && none_of(slot.users(), [&](const User* other) {
               const auto* store = dyn_cast<StoreInst>(other);
               return store && store->getParent() == load->getParent() && store->comesBefore(load);
             });
    });
  }

  // Between the load and its last store, nothing leaves the block, synchronises or runs unseen code.
  // A load of the same bytes before the first store may be left out of the trace as a repeat of this
  // one: what becomes of its value counts here, too.
  bool nothing_between(Flow& flow, const std::vector<Flow>& later) {
    const BasicBlock& block = *flow.load->getParent();
    const StoreInst* first = flow.stores.front();
    const StoreInst* last = flow.stores.back();
    SmallVector<const StoreInst*, 4> more;
    bool before_first = true;
    for (const Instruction* next = flow.load->getNextNode(); next != last; next = next->getNextNode()) {
      if (next == first) before_first = false;
      if (next->isAtomic() || next->isVolatile()) return false;
      if (const auto* call = dyn_cast<CallBase>(next); call && !is_harmless_call(*call)) return false;
      const auto* load = dyn_cast<LoadInst>(next);
      if (!before_first || !load || !hooks_.loads.contains(load) || !may_be_same(*flow.load, *load, block)) continue;
      const auto known = find_if(later, [&](const Flow& other) { return other.load == load; });
      if (known == later.end()) return false;
      more.append(known->stores.begin(), known->stores.end());
    }
    for (const StoreInst* store : more)
      if (!is_contained(flow.stores, store)) flow.stores.push_back(store);
    return true;
  }

  bool may_be_same(const LoadInst& a, const LoadInst& b, const BasicBlock& block) {
    if (bytes_of(a) != bytes_of(b)) return false; // a repeat has the same size
    const Address left = address_of(a.getPointerOperand(), block), right = address_of(b.getPointerOperand(), block);
    if (left.base == right.base) return left.offset == right.offset;
    return !isa<GlobalVariable>(left.base) || !isa<GlobalVariable>(right.base);
  }

  const DataLayout& layout_;
  const HookedValues& hooks_;
  Slots slots_;
};

} // namespace

// A row may stand for several instructions: unrolled loops, code that was made twice.
void ValueFlows::add(std::uint32_t row, Class of) {
  std::ranges::sort(of.stores);
  of.stores.erase(std::unique(of.stores.begin(), of.stores.end()), of.stores.end());
  auto [known, fresh] = classes_.try_emplace(row, of);
  Class& all = known->second;
  ++all.loads;
  if (fresh) return;
  if (all.is_update != of.is_update || all.bytes != of.bytes || all.stores != of.stores) decides_.insert(row);
  all.out_of_reach = all.out_of_reach && of.out_of_reach;
}

bool ValueFlows::is_out_of_reach(const Value* base) const {
  const auto* variable = dyn_cast<GlobalVariable>(base);
  return variable && seen_.out_of_reach.contains(variable);
}

void ValueFlows::add_function(const Function& function, const HookedValues& hooks) {
  // Activations of a coroutine have no events of their own.
  const bool has_activations = !function.isPresplitCoroutine();
  for (const auto& [store, row] : hooks.stores) ++store_count_[row];
  for (const std::uint32_t row : hooks.others) decides_.insert(row);
  for (const auto& [atomic, row] : hooks.atomics) add_atomic(*atomic, row);
  FlowsOfFunction flows(function, hooks);
  for (const BasicBlock& block : function) {
    DenseSet<const Instruction*> flowing;
    for (const Flow& flow : flows.flows_of(block)) {
      const Address read = flows.address_of(flow.load->getPointerOperand(), block);
      Class of{.bytes = flows.bytes_of(*flow.load)};
      bool sure = true;
      for (const StoreInst* store : flow.stores) {
        const Address written = flows.address_of(store->getPointerOperand(), block);
        const bool same = written == read && store->getValueOperand()->getType() == flow.load->getType();
        sure = sure && (same || written.is_fixed()) && has_activations;
        of.out_of_reach = of.out_of_reach && is_out_of_reach(written.base);
        of.stores.push_back({hooks.stores.lookup(store), same});
      }
      if (!sure) continue;
      flowing.insert(flow.load);
      add(hooks.loads.lookup(flow.load), std::move(of));
    }
    for (const Instruction& instruction : block)
      if (const auto load = hooks.loads.find(&instruction); load != hooks.loads.end() && !flowing.contains(&instruction))
        decides_.insert(load->second);
  }
}

void ValueFlows::add_atomic(const Instruction& atomic, std::uint32_t row) {
  const auto* update = dyn_cast<AtomicRMWInst>(&atomic);
  if (!update || !update->use_empty() || update->isVolatile() || update->getType()->isPointerTy()) {
    decides_.insert(row);
    return;
  }
  const std::uint64_t bytes = update->getDataLayout().getTypeStoreSize(update->getType()).getFixedValue();
  const Value* base = update->getPointerOperand()->stripInBoundsConstantOffsets();
  add(row, {.bytes = static_cast<std::uint32_t>(bytes), .is_update = true, .out_of_reach = is_out_of_reach(base)});
}

// Several instructions with one row: the trace tells them apart by what they write, or not at all.
bool ValueFlows::is_sure(std::uint32_t row, const Class& of) const {
  if (decides_.contains(row)) return false;
  return all_of(of.stores, [&](const Target& target) {
    return target.same_bytes || (of.loads == 1 && store_count_.lookup(target.row) == 1);
  });
}

std::vector<std::uint32_t> ValueFlows::words() const {
  std::vector<std::uint8_t> out;
  const auto put = [&](std::uint64_t number) { trace::put_number(out, number); };
  put(trace::kFlowsVersion);
  put(1); // modules with such facts
  put(0); // and without
  put(seen_.has_unseen ? 1 : 0);
  put(seen_.has_main ? 1 : 0);
  for (const std::vector<std::uint64_t>* names : {&seen_.defined, &seen_.called}) {
    put(names->size());
    for (const std::uint64_t name : *names) put(name);
  }
  std::vector<std::pair<std::uint32_t, const Class*>> sure;
  for (const auto& [row, of] : classes_)
    if (is_sure(row, of)) sure.push_back({row, &of});
  put(sure.size());
  std::uint32_t before = 0;
  for (const auto& [row, of] : sure) {
    put(row - before);
    before = row;
    put(std::uint64_t{of->bytes} << 2 | (of->out_of_reach ? 2 : 0) | (of->is_update ? 1 : 0));
    put(of->stores.size());
    for (const Target& target : of->stores) put(std::uint64_t{target.row} << 1 | (target.same_bytes ? 1 : 0));
  }
  out.resize((out.size() + 3) / 4 * 4);
  std::vector<std::uint32_t> words(out.size() / 4);
  std::memcpy(words.data(), out.data(), out.size());
  return words;
}

} // namespace sooth::pass
