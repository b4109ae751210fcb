#include "trace/program/static_stores.h"

#include <algorithm>
#include <map>
#include <set>

#include "trace/fact_numbers.h"

namespace sooth::trace {

StaticStores::StaticStores(const ValueFlows& flows) {
  std::multimap<FlowSlot, const FlowSinks*> pointers; // by parameter: what all modules say of what it points to
  bool knows_all_calls = true;
  for (const PassedFlow& passed : flows.passed) {
    if ((passed.slot.slot & kPointedTo) != 0) pointers.emplace(passed.slot, &passed.sinks);
    if (passed.slot != kStaticMemory) continue;
    sites_.insert(sites_.end(), passed.sinks.stores.begin(), passed.sinks.stores.end());
    knows_all_calls = knows_all_calls && !passed.sinks.decides;
  }
  std::set<FlowSlot> anywhere;
  std::vector<FlowSlot> open;
  const auto reach = [&](const FlowSlot& slot) {
    if (anywhere.insert(slot).second) open.push_back(slot);
  };
  for (const auto& [slot, sinks] : pointers)
    if (sinks->decides) reach(slot);
  std::set<std::uint32_t> elsewhere;
  while (!open.empty()) {
    const auto [first, last] = pointers.equal_range(open.back());
    open.pop_back();
    for (auto each = first; each != last; ++each) {
      elsewhere.insert(each->second->stores.begin(), each->second->stores.end());
      std::ranges::for_each(each->second->slots, reach);
    }
  }
  if (!knows_all_calls) sites_.clear();
  std::erase_if(sites_, [&](std::uint32_t site) { return elsewhere.contains(site); });
  std::ranges::sort(sites_);
}

bool StaticStores::contain_all(const std::vector<std::uint32_t>& sites) const {
  return std::ranges::includes(sites_, sites);
}

} // namespace sooth::trace
