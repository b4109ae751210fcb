// For each piece of memory, the node of a dependence graph that stands for its contents.
#pragma once

#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "causality/dependence/step_dependence.h"

namespace sooth::causality {

// In granules of 8 bytes. A write replaces the nodes that it covers whole. A node that it covers in
// part stays beside it: that may be too much, and never too little.
class MemoryNodes {
public:
  void write(std::uint64_t address, std::uint64_t size, DependenceNode node) {
    each_granule(address, size, [&](std::uint64_t granule, std::uint8_t bytes) {
      const auto found = granules_.find(granule);
      if (found == granules_.end() && node == StepDependence::kNoNode) return;
      std::vector<Piece>& pieces = found != granules_.end() ? found->second : granules_[granule];
      std::erase_if(pieces, [bytes](const Piece& piece) { return (piece.bytes & ~bytes) == 0; });
      if (node != StepDependence::kNoNode) pieces.push_back({node, bytes});
      if (pieces.empty()) granules_.erase(granule);
    });
  }

  void read(std::uint64_t address, std::uint64_t size, std::vector<DependenceNode>& into) const {
    if (granules_.empty()) return;
    each_granule(address, size, [&](std::uint64_t granule, std::uint8_t bytes) {
      if (const auto found = granules_.find(granule); found != granules_.end())
        for (const Piece& piece : found->second)
          if ((piece.bytes & bytes) != 0) into.push_back(piece.node);
    });
  }

private:
  struct Piece {
    DependenceNode node = StepDependence::kNoNode;
    std::uint8_t bytes = 0; // a bit for each byte of the granule that the write covered
  };

  template <typename Look> // void(granule, a bit for each byte)
  static void each_granule(std::uint64_t address, std::uint64_t size, const Look& look) {
    if (size == 0) return;
    for (std::uint64_t granule = address / 8; granule <= (address + size - 1) / 8; ++granule) {
      const std::uint64_t from = granule * 8 < address ? address - granule * 8 : 0;
      const std::uint64_t to = granule * 8 + 8 > address + size ? address + size - granule * 8 : 8;
      look(granule, static_cast<std::uint8_t>((1u << to) - (1u << from)));
    }
  }

  absl::flat_hash_map<std::uint64_t, std::vector<Piece>>
      granules_; // by address / 8; without those that depend on nothing
};

} // namespace sooth::causality
