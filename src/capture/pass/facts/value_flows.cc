#include "capture/pass/facts/value_flows.h"

#include <algorithm>
#include <cstring>

#include "trace/fact_numbers.h"
#include "trace/format.h"
#include "llvm/IR/Module.h"

namespace sooth::pass {

using namespace llvm;

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
  BlockFlows flows(function, hooks);
  for (const BasicBlock& block : function) {
    DenseSet<const Instruction*> flowing;
    for (const Flow& flow : flows.of(block)) {
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
      if (const auto load = hooks.loads.find(&instruction);
          load != hooks.loads.end() && !flowing.contains(&instruction))
        decides_.insert(load->second);
  }
}

void ValueFlows::add_atomic(const Instruction& atomic, std::uint32_t row) {
  const auto* update = dyn_cast<AtomicRMWInst>(&atomic);
  if (!update || !is_unused(*update) || update->isVolatile() || update->getType()->isPointerTy()) {
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
