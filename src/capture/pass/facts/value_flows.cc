#include "capture/pass/facts/value_flows.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "capture/pass/facts/call_effects.h"
#include "capture/pass/facts/only_looks.h"
#include "trace/fact_numbers.h"
#include "trace/format.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/xxhash.h"

namespace sooth::pass {

using namespace llvm;

namespace {

// Addresses are never followed: a value that becomes one decides.
bool can_be_followed(const Type* type) { return !type->isVoidTy() && !type->isPtrOrPtrVectorTy(); }

} // namespace

// A function whose address is taken may be called from anywhere, and its result used for anything.
void ValueFlows::begin(SeenCode seen, const Module& module) {
  seen_ = std::move(seen);
  static_stores_.begin(module, numbers_);
  for (const Function& function : module) {
    if (function.isIntrinsic() || !can_be_followed(function.getReturnType())) continue;
    if (function.getName() == "main" || function.hasAddressTaken()) passed_[{numbers_.of(function), 0}].decides = true;
  }
}

// A row may stand for several instructions: unrolled loops, code that was made twice.
void ValueFlows::add(std::uint32_t row, Class of) {
  std::ranges::sort(of.stores);
  of.stores.erase(std::unique(of.stores.begin(), of.stores.end()), of.stores.end());
  auto [known, fresh] = classes_.try_emplace(row, of);
  Class& all = known->second;
  ++all.loads;
  if (fresh) return;
  if (all.is_update != of.is_update || all.bytes != of.bytes) decides_.insert(row);
  if (all.stores != of.stores) all.stores.clear();
  all.sinks.add(of.sinks);
  all.out_of_reach = all.out_of_reach && of.out_of_reach;
}

bool ValueFlows::is_out_of_reach(const Value* base) const {
  const auto* variable = dyn_cast<GlobalVariable>(base);
  return variable && seen_.out_of_reach.contains(variable);
}

void ValueFlows::add_function(const Function& function, const HookedValues& hooks, PrivateMemory& memory) {
  for (const auto& [store, row] : hooks.stores) ++store_count_[row];
  static_stores_.add_function(function, hooks, numbers_);
  for (const std::uint32_t row : hooks.others) decides_.insert(row);
  ValueSinks sinks(function, hooks, memory, seen_, numbers_);
  for (const auto& [call, row] : hooks.calls) {
    if (const auto bytes = static_cast<std::uint32_t>(printed_bytes(cast<CallBase>(*call))))
      add(row, {.bytes = bytes, .sinks = {.stores = {}, .slots = {}, .printed = true}});
    else decides_.insert(row);
  }
  for (const auto& [atomic, row] : hooks.atomics) add_atomic(*atomic, row, sinks);
  BlockFlows flows(function, hooks);
  for (const BasicBlock& block : function) {
    DenseMap<const LoadInst*, Flow> of_block;
    for (Flow& flow : flows.of(block)) of_block[flow.load] = std::move(flow);
    for (const Instruction& instruction : block)
      if (const auto load = hooks.loads.find(&instruction); load != hooks.loads.end()) {
        const auto* read = cast<LoadInst>(&instruction);
        const auto flow = of_block.find(read);
        add_load(*read, load->second, flow == of_block.end() ? nullptr : &flow->second, flows, hooks, sinks);
      }
  }
  add_passed(function, sinks);
}

void ValueFlows::add_load(const LoadInst& load, std::uint32_t row, const Flow* flow, BlockFlows& flows,
                          const HookedValues& hooks, ValueSinks& sinks) {
  const BasicBlock& block = *load.getParent();
  if (!flows.is_plain(load)) {
    decides_.insert(row);
    return;
  }
  Class of{.bytes = flows.bytes_of(load), .sinks = sinks.of(load)};
  // Activations of a coroutine have no events of their own.
  bool sure = flow && !block.getParent()->isPresplitCoroutine();
  if (sure) {
    const Address read = flows.address_of(load.getPointerOperand(), block);
    for (const StoreInst* store : flow->stores) {
      const Address written = flows.address_of(store->getPointerOperand(), block);
      const bool same = written == read && store->getValueOperand()->getType() == load.getType();
      sure = sure && (same || written.is_fixed());
      of.out_of_reach = of.out_of_reach && is_out_of_reach(written.base);
      of.stores.push_back({hooks.stores.lookup(store), same});
    }
  }
  if (!sure) of.stores.clear();
  add(row, std::move(of));
}

void ValueFlows::add_atomic(const Instruction& atomic, std::uint32_t row, ValueSinks& sinks) {
  if (isa<StoreInst>(atomic)) return; // it reads nothing
  const auto* update = dyn_cast<AtomicRMWInst>(&atomic);
  if ((!update && !isa<LoadInst>(atomic)) || atomic.isVolatile() || atomic.getType()->isPtrOrPtrVectorTy()) {
    decides_.insert(row);
    return;
  }
  const std::uint64_t bytes = atomic.getDataLayout().getTypeStoreSize(atomic.getType()).getFixedValue();
  const Value* base = update ? update->getPointerOperand()->stripInBoundsConstantOffsets() : nullptr;
  add(row, {.bytes = static_cast<std::uint32_t>(bytes),
            .is_update = update != nullptr,
            .out_of_reach = base && is_out_of_reach(base),
            .sinks = sinks.of(atomic)});
}

// What becomes of the function's parameters, and of the results of the functions that it calls.
void ValueFlows::add_passed(const Function& function, ValueSinks& sinks) {
  const std::uint32_t number = numbers_.of(function);
  for (const Argument& argument : function.args())
    if (can_be_followed(argument.getType())) passed_[{number, argument.getArgNo() + 1}].add(sinks.of(argument));
  for (const Instruction& instruction : instructions(function)) {
    const auto* call = dyn_cast<CallBase>(&instruction);
    const Function* callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || callee->isIntrinsic() || !can_be_followed(call->getType()) || is_library_function(*callee)) continue;
    passed_[{numbers_.of(*callee), 0}].add(sinks.of(*call));
  }
}

// Several instructions with one row: the trace tells them apart by what they write, or not at all.
bool ValueFlows::is_sure(const Class& of) const {
  return !of.stores.empty() && all_of(of.stores, [&](const Target& target) {
    return target.same_bytes || (of.loads == 1 && store_count_.lookup(target.row) == 1);
  });
}

std::set<std::uint32_t> ValueFlows::static_rows() const {
  std::set<std::uint32_t> rows;
  for (const auto& [row, of] : classes_)
    if (!of.sinks.decides) rows.insert(of.sinks.stores.begin(), of.sinks.stores.end());
  for (const auto& [slot, sinks] : passed_)
    if (!sinks.decides) rows.insert(sinks.stores.begin(), sinks.stores.end());
  static_stores_.keep_static(rows);
  return rows;
}

std::vector<std::uint32_t> ValueFlows::words() const {
  std::vector<std::uint8_t> out;
  const auto put = [&](std::uint64_t number) { trace::put_number(out, number); };
  std::vector<std::uint64_t> locals(numbers_.all().size());
  std::uint64_t local_functions = 0;
  for (std::size_t i = 0; i < locals.size(); ++i)
    if (numbers_.all()[i]->hasLocalLinkage()) locals[i] = local_functions++;
  const auto put_slot = [&](const PassedSlot& slot) {
    const Function& function = *numbers_.all()[slot.function];
    put(std::uint64_t{slot.slot} << 1 | (function.hasLocalLinkage() ? 1 : 0));
    put(function.hasLocalLinkage() ? locals[slot.function] : xxh3_64bits(function.getName()));
  };
  const auto put_sinks = [&](const Sinks& sinks) {
    const bool all = !sinks.decides; // else the rest says nothing
    put(all ? sinks.stores.size() : 0);
    for (const std::uint32_t row : sinks.stores)
      if (all) put(row);
    put(all ? sinks.slots.size() : 0);
    for (const PassedSlot& slot : sinks.slots)
      if (all) put_slot(slot);
    put((sinks.decides ? 1 : 0) | (sinks.printed ? 2 : 0));
  };

  put(trace::kFlowsVersion);
  put(1); // modules with such facts
  put(0); // and without
  put(seen_.has_unseen ? 1 : 0);
  put(seen_.has_main ? 1 : 0);
  put(seen_.redirects ? 1 : 0);
  put(local_functions);
  for (const std::vector<std::uint64_t>* names : {&seen_.defined, &seen_.called}) {
    put(names->size());
    for (const std::uint64_t name : *names) put(name);
  }
  std::vector<std::pair<std::uint32_t, const Class*>> sure;
  for (const auto& [row, of] : classes_)
    if (!decides_.contains(row) && (is_sure(of) || !of.sinks.decides)) sure.push_back({row, &of});
  put(sure.size());
  std::uint32_t before = 0;
  for (const auto& [row, of] : sure) {
    put(row - before);
    before = row;
    put(std::uint64_t{of->bytes} << 2 | (of->out_of_reach ? 2 : 0) | (of->is_update ? 1 : 0));
    const bool has_stores = is_sure(*of);
    put(has_stores ? of->stores.size() : 0);
    for (const Target& target : of->stores)
      if (has_stores) put(std::uint64_t{target.row} << 1 | (target.same_bytes ? 1 : 0));
    put_sinks(of->sinks);
  }
  const std::map<PassedSlot, Sinks> pointers = static_stores_.passed();
  put(passed_.size() + pointers.size() + 1);
  put(std::uint64_t{trace::kStaticSlot} << 1);
  put(0); // function number 0
  put_sinks({.stores = static_rows(), .slots = {}, .decides = static_stores_.finds_functions()});
  for (const std::map<PassedSlot, Sinks>* all : {&passed_, &pointers})
    for (const auto& [slot, sinks] : *all) {
      put_slot(slot);
      put_sinks(sinks);
    }
  out.resize((out.size() + 3) / 4 * 4);
  std::vector<std::uint32_t> words(out.size() / 4);
  std::memcpy(words.data(), out.data(), out.size());
  return words;
}

} // namespace sooth::pass
