// Loads, and the stores that their values go into, whatever else becomes of them.
//
//     v = n.load(); n.store(v + 1)      the pair (site of the load, site of the store)
//
// Source: the classes of sites (value_flows.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "trace/program/value_flows.h"

namespace sooth::trace {

class FlowPairs {
public:
  FlowPairs() = default;                                          // none is known
  explicit FlowPairs(const ValueFlows& flows) : flows_(&flows) {} // which must stay there
  bool contains(std::uint32_t read, std::uint32_t store) {
    const ValueFlow* const flow = flows_ == nullptr ? nullptr : flows_->of(read);
    if (flow == nullptr) return false;
    if (std::ranges::find(flow->stores, store, &FlowStore::site) != flow->stores.end()) return true;
    if (!reached_) reached_ = reached_stores(*flows_); // most programs never ask
    return std::ranges::binary_search((*reached_)[static_cast<std::size_t>(flow - flows_->reads.data())].sites, store);
  }

private:
  const ValueFlows* flows_ = nullptr;
  std::optional<std::vector<ReachedStores>> reached_;
};

} // namespace sooth::trace
