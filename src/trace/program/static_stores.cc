#include "trace/program/static_stores.h"

#include <algorithm>

namespace sooth::trace {

StaticStores::StaticStores(const ValueFlows& flows) {
  for (const PassedFlow& passed : flows.passed)
    if (passed.slot == kStaticMemory)
      sites_.insert(sites_.end(), passed.sinks.stores.begin(), passed.sinks.stores.end());
  std::ranges::sort(sites_);
}

bool StaticStores::contain_all(const std::vector<std::uint32_t>& sites) const {
  return std::ranges::includes(sites_, sites);
}

} // namespace sooth::trace
