#include "properties/lattice_graph.h"

#include <algorithm>
#include <tuple>

namespace sooth::properties {

using causality::Count;
using causality::EventIndex;
using causality::ThreadNumber;

bool LatticeGraph::build(std::uint64_t most, const std::function<bool(Cut)>& follow) {
  nodes_.clear();
  edges_.clear();
  moves_.clear();
  begin();
  std::vector<const Key*> level = {&nodes_.begin()->first};
  while (!level.empty()) {
    std::vector<const Key*> next;
    for (const Key* key : level)
      if (!expand(*key, most, follow, next)) return false;
    level = std::move(next);
  }
  mark_observed();
  mark_violating();
  return true;
}

void LatticeGraph::begin() {
  Key first(model_.threads() + model_.state_words() + monitors_.value_words(), 0);
  model_.begin(std::span(first).subspan(model_.threads(), model_.state_words()));
  const explore::Letter letter = monitors_.begin(std::span(first).subspan(model_.threads() + model_.state_words()));
  Node start;
  for (std::uint32_t m = 0; m < monitors_.monitors(); ++m) {
    const explore::Move move = monitors_.start(m, letter);
    if (move.violated) start.fails = true;
    else start.states.emplace(m, move.state);
  }
  nodes_.emplace(std::move(first), std::move(start));
}

bool LatticeGraph::expand(const Key& key, std::uint64_t most, const std::function<bool(Cut)>& follow,
                          std::vector<const Key*>& next) {
  const std::vector<Count> cut(key.begin(), key.begin() + static_cast<std::ptrdiff_t>(model_.threads()));
  const Node& node = nodes_.at(key);
  for (ThreadNumber t = 0; t < cut.size(); ++t) {
    if (cut[t] >= model_.steps(t).size() || held_by_another(cut, t)) continue;
    if (!model_.enabled(cut, std::span(key).subspan(cut.size(), model_.state_words()), t)) continue;
    const causality::ModelStep& step = model_.steps(t)[cut[t]];
    Key after = key;
    model_.advance(cut, std::span(after).subspan(cut.size(), model_.state_words()), t);
    ++after[t];
    if (follow && !follow(cut_of(after))) continue;
    explore::Letter letter = 0;
    if (step.visible) letter = monitors_.apply(step.event, std::span(after).subspan(cut.size() + model_.state_words()));
    const auto [target, fresh] = nodes_.try_emplace(std::move(after));
    if (fresh) {
      if (nodes_.size() > most) return false;
      target->second.number = nodes_.size() - 1;
      target->second.from = &key;
      target->second.event = step.event;
      target->second.visible = step.visible;
      next.push_back(&target->first);
    }
    edges_.push_back({&key, &target->first, step.event, t, step.visible});
    for (const auto& [monitor, state] : node.states) {
      const explore::Move move = step.visible ? monitors_.step(monitor, state, letter) : explore::Move{state, false};
      moves_.push_back({edges_.size() - 1, monitor, state, move.state, move.violated});
      if (move.violated) target->second.fails = true;
      else target->second.states.emplace(monitor, move.state);
    }
  }
  return true;
}

bool LatticeGraph::held_by_another(const std::vector<Count>& cut, ThreadNumber thread) const {
  for (ThreadNumber t = 0; t < cut.size(); ++t) {
    const auto steps = model_.steps(t);
    if (t != thread && cut[t] > 0 && cut[t] < steps.size() && steps[cut[t] - 1].glued) return true;
  }
  return false;
}

void LatticeGraph::mark_observed() {
  std::vector<std::pair<EventIndex, ThreadNumber>> order;
  for (ThreadNumber t = 0; t < model_.threads(); ++t)
    for (const causality::ModelStep& step : model_.steps(t)) order.emplace_back(step.event, t);
  std::ranges::sort(order);
  std::vector<std::uint64_t> cut(model_.threads(), 0);
  std::set<std::vector<std::uint64_t>> cuts = {cut};
  for (const auto& [event, thread] : order) {
    ++cut[thread];
    cuts.insert(cut);
  }
  const auto on_it = [&](const Key& key) { return cuts.contains({cut_of(key).begin(), cut_of(key).end()}); };
  for (auto& [key, node] : nodes_) node.observed = on_it(key);
  for (Edge& edge : edges_) edge.observed = nodes_.at(*edge.from).observed && nodes_.at(*edge.to).observed;
}

// An edge is on a violating run if some monitor's state passes it and objects then or later.
void LatticeGraph::mark_violating() {
  std::set<std::tuple<const Key*, std::uint32_t, explore::MonitorState>> leads; // states from which a violation follows
  for (std::size_t k = moves_.size(); k-- > 0;) {                               // edges ascend by level
    const MonitorEdge& move = moves_[k];
    Edge& edge = edges_[move.edge];
    if (!move.violated && !leads.contains({edge.to, move.monitor, move.to})) continue;
    leads.emplace(edge.from, move.monitor, move.from);
    edge.violating = true;
  }
}

std::vector<EventIndex> LatticeGraph::path(const Node& node) const {
  std::vector<EventIndex> out;
  for (const Node* at = &node; at->from != nullptr; at = &nodes_.at(*at->from))
    if (at->visible) out.push_back(at->event);
  std::ranges::reverse(out);
  return out;
}

} // namespace sooth::properties
