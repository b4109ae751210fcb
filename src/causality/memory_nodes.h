// For each piece of memory the node of a dependence graph that stands for what it holds.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "causality/step_dependence.h"

namespace sooth::causality {

// In granules of 8 bytes: a write of a part adds to what the granule depends on, which may be too much and never too little.
class MemoryNodes {
public:
  template <typename Join> // DependenceNode join(DependenceNode, DependenceNode)
  void write(std::uint64_t address, std::uint64_t size, DependenceNode node, const Join& join) {
    if (size == 0) return;
    for (std::uint64_t granule = address / 8; granule <= (address + size - 1) / 8; ++granule) {
      const bool whole = granule * 8 >= address && granule * 8 + 8 <= address + size;
      const auto found = granules_.find(granule);
      if (found == granules_.end()) {
        if (node != StepDependence::kNoNode) granules_.emplace(granule, node);
      } else if (!whole) {
        found->second = join(found->second, node);
      } else if (node == StepDependence::kNoNode) {
        granules_.erase(found);
      } else {
        found->second = node;
      }
    }
  }

  void read(std::uint64_t address, std::uint64_t size, std::vector<DependenceNode>& into) const {
    if (size == 0 || granules_.empty()) return;
    for (std::uint64_t granule = address / 8; granule <= (address + size - 1) / 8; ++granule)
      if (const auto found = granules_.find(granule); found != granules_.end()) into.push_back(found->second);
  }

private:
  absl::flat_hash_map<std::uint64_t, DependenceNode> granules_; // by address / 8; without those that depend on nothing
};

} // namespace sooth::causality
