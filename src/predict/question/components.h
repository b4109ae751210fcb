// Strongly connected components of a graph of numbers.
//
// Source: Tarjan, Depth-first search and linear graph algorithms (1972), without recursion: a chain
//   of locks may be long.
// Cost: linear in nodes and arcs.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace sooth::predict {

// By node: the number of its component. Arcs lead from `first` to `second`, and are sorted.
std::vector<std::uint32_t> components_of(std::uint32_t nodes,
                                         std::span<const std::pair<std::uint32_t, std::uint32_t>> arcs);

} // namespace sooth::predict
