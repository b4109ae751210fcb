// All nodes that paths of a model reach, one by one: for small traces.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "causality/models/model.h"

namespace sooth::cross {

// visit(cut), once for each node.
template <typename Visit>
void each_node(const causality::Model& model, const Visit& visit) {
  using Node = std::pair<std::vector<causality::Count>, std::vector<std::uint64_t>>;
  Node start{std::vector<causality::Count>(model.threads()), std::vector<std::uint64_t>(model.state_words())};
  model.begin(start.second);
  std::set<Node> seen{start};
  std::vector<Node> waiting{start};
  while (!waiting.empty()) {
    const Node here = std::move(waiting.back());
    waiting.pop_back();
    visit(here.first);
    for (std::uint32_t t = 0; t < model.threads(); ++t) {
      if (here.first[t] == model.steps(t).size() || !model.enabled(here.first, here.second, t)) continue;
      Node there = here;
      model.advance(here.first, there.second, t);
      ++there.first[t];
      if (seen.insert(there).second) waiting.push_back(std::move(there));
    }
  }
}

} // namespace sooth::cross
