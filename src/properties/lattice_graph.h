// The computation lattice with all its nodes and edges in memory, for pictures.
//
// Question: which states are there, which steps lead from one to the next, and which of them are on
//   the observed run, or on one that violates a property?
// Source: JMPaX online, Figures 5 and 6. The plain way: explore/lattice.h is for large ones.
// Cost: everything is kept; gives up beyond a number of nodes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "causality/models/model.h"
#include "explore/property_monitors.h"

namespace sooth::properties {

class LatticeGraph {
public:
  using Key = std::vector<std::uint64_t>; // cut, model state, values
  using Cut = std::span<const std::uint64_t>;
  struct Node {
    std::size_t number = 0;
    const Key* from = nullptr; // one way to get here: the node before, and the step
    causality::EventIndex event = 0;
    bool visible = false;
    std::set<std::pair<std::uint32_t, explore::MonitorState>> states; // monitors that have not objected
    bool fails = false, observed = false;
  };
  struct Edge {
    const Key *from, *to;
    causality::EventIndex event;
    causality::ThreadNumber thread;
    bool visible, observed = false, violating = false;
  };

  // Both must outlive this.
  LatticeGraph(const causality::Model& model, const explore::PropertyMonitors& monitors)
      : model_(model), monitors_(monitors) {}

  // All nodes that are reached through cuts for which `follow` is true (without `follow`: through
  // any). False if there are more than `most`; the graph is useless then.
  bool build(std::uint64_t most, const std::function<bool(Cut)>& follow = {});

  const std::map<Key, Node>& nodes() const { return nodes_; }
  const std::vector<Edge>& edges() const { return edges_; } // ascend by level
  Cut cut_of(const Key& key) const { return Cut(key).first(model_.threads()); }
  // The visible steps of one way to the node.
  std::vector<causality::EventIndex> path(const Node& node) const;

private:
  // The effect of a step on a monitor: from one state to another, or to a violation.
  struct MonitorEdge {
    std::size_t edge;
    std::uint32_t monitor;
    explore::MonitorState from, to;
    bool violated;
  };

  void begin();
  bool expand(const Key& key, std::uint64_t most, const std::function<bool(Cut)>& follow,
              std::vector<const Key*>& next);
  bool held_by_another(const std::vector<causality::Count>& cut, causality::ThreadNumber thread) const;
  void mark_observed();
  void mark_violating();

  const causality::Model& model_;
  const explore::PropertyMonitors& monitors_;
  std::map<Key, Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<MonitorEdge> moves_;
};

} // namespace sooth::properties
