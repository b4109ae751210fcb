#include "predict/question/components.h"

#include <algorithm>

namespace sooth::predict {
namespace {

constexpr std::uint32_t kUnseen = 0xffffffff;

} // namespace

std::vector<std::uint32_t> components_of(std::uint32_t nodes,
                                         std::span<const std::pair<std::uint32_t, std::uint32_t>> arcs) {
  std::vector<std::size_t> begin(std::size_t{nodes} + 1, 0);
  for (const auto& [from, to] : arcs) ++begin[std::size_t{from} + 1];
  for (std::size_t i = 0; i < nodes; ++i) begin[i + 1] += begin[i];

  struct Visit {
    std::uint32_t node;
    std::size_t next; // arc
  };
  std::vector<std::uint32_t> component(nodes, kUnseen), number(nodes, kUnseen), low(nodes, 0), open;
  std::vector<Visit> path;
  std::uint32_t seen = 0, components = 0;
  const auto enter = [&](std::uint32_t node) {
    number[node] = low[node] = seen++;
    open.push_back(node);
    path.push_back({node, begin[node]});
  };
  for (std::uint32_t start = 0; start < nodes; ++start) {
    if (number[start] != kUnseen) continue;
    enter(start);
    while (!path.empty()) {
      const std::uint32_t node = path.back().node;
      if (path.back().next < begin[std::size_t{node} + 1]) {
        const std::uint32_t to = arcs[path.back().next++].second;
        if (number[to] == kUnseen) enter(to);
        else if (component[to] == kUnseen) low[node] = std::min(low[node], number[to]);
        continue;
      }
      path.pop_back();
      if (!path.empty()) low[path.back().node] = std::min(low[path.back().node], low[node]);
      if (low[node] != number[node]) continue;
      while (component[node] == kUnseen) { // the last one to get it
        component[open.back()] = components;
        open.pop_back();
      }
      ++components;
    }
  }
  return component;
}

} // namespace sooth::predict
