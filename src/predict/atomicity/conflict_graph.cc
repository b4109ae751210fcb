#include "predict/atomicity/conflict_graph.h"

#include <algorithm>
#include <cstdint>

#include <absl/container/flat_hash_set.h>

#include "predict/question/components.h"

namespace sooth::predict {
namespace {

using causality::Computation;
using causality::kNoStep;
using causality::Operation;
using causality::OperationKind;
using causality::StepId;

using Node = std::uint32_t;
constexpr Node kNoNode = 0xffffffff;

class Graph {
public:
  Graph(const Computation& computation, const std::vector<Block>& blocks) : computation_(computation) {
    node_of_.assign(computation.steps.size(), kNoNode);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      if (!blocks[b].outermost || !blocks[b].interruptible()) continue;
      for (std::uint32_t place = blocks[b].first; place < blocks[b].last; ++place)
        node_of_[computation.threads[blocks[b].thread].steps[place]] = static_cast<Node>(block_of_.size());
      block_of_.push_back(b);
    }
    nodes_ = static_cast<Node>(block_of_.size());
    for (Node& node : node_of_)
      if (node == kNoNode) node = nodes_++;
    connect();
  }

  std::vector<Entangled> run() {
    component_ = components_of(nodes_, edges_);
    const std::size_t components = component_.empty() ? 0 : std::size_t{std::ranges::max(component_)} + 1;
    std::vector<std::vector<Node>> members(components);
    for (Node node = 0; node < block_of_.size(); ++node) members[component_[node]].push_back(node);
    std::vector<std::uint32_t> size(components, 0);
    for (Node node = 0; node < nodes_; ++node) ++size[component_[node]];
    std::vector<Entangled> out;
    std::vector<std::size_t> place(components, SIZE_MAX); // in `out`
    for (std::size_t c = 0; c < members.size(); ++c) {
      if (members[c].empty() || size[c] < 2) continue;
      Entangled entangled;
      for (const Node node : members[c]) entangled.blocks.push_back(block_of_[node]);
      std::sort(entangled.blocks.begin(), entangled.blocks.end());
      entangled.circle = shortest_circle(members[c].front());
      place[c] = out.size();
      out.push_back(std::move(entangled));
    }
    for (StepId step = 0; step < node_of_.size(); ++step)
      if (const std::size_t at = place[component_[node_of_[step]]]; at != SIZE_MAX) out[at].steps.push_back(step);
    return out;
  }

private:
  void edge(StepId first, StepId second) {
    if (first == kNoStep) return;
    const Node a = node_of_[first], b = node_of_[second];
    if (a != b) edges_.push_back({a, b});
  }

  struct Object {
    StepId last = kNoStep;           // that changed it
    std::vector<StepId> looked = {}; // since then
  };
  void look(Object& object, StepId step) {
    edge(object.last, step);
    object.looked.push_back(step);
  }
  void change(Object& object, StepId step) {
    edge(object.last, step);
    for (const StepId other : object.looked) edge(other, step);
    object = {step, {}};
  }

  void connect() {
    std::vector<Object> locations(computation_.locations.size()), locks(computation_.locks.size());
    std::vector<StepId> last(computation_.threads.size(), kNoStep);
    const std::vector<causality::Order>& orders = computation_.recorded_orders();
    auto order = orders.begin();
    for (StepId id = 0; id < computation_.steps.size(); ++id) {
      const causality::Step& step = computation_.steps[id];
      edge(last[step.thread], id);
      if ((step.flags & causality::kExternalRead) != 0)
        for (const StepId other : last) edge(other, id);
      last[step.thread] = id;
      for (; order != orders.end() && order->second == id; ++order) edge(order->first, id);
      for (const Operation& o : computation_.operations_of(id)) {
        switch (o.kind) {
        case OperationKind::Read: look(locations[o.object], id); break;
        case OperationKind::Write: change(locations[o.object], id); break;
        // While a location is held, other threads do not write it: the hold's end is like one more
        // access.
        case OperationKind::HoldBegin:
        case OperationKind::HoldEnd: change(locations[o.object], id); break;
        case OperationKind::AcquireShared:
        case OperationKind::ReleaseShared: look(locks[o.object], id); break;
        default:
          if (!is_counted(o.kind)) change(locks[o.object], id);
          break;
        }
      }
    }
    std::sort(edges_.begin(), edges_.end());
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
    begin_.assign(std::size_t{nodes_} + 1, 0);
    for (const auto& [from, to] : edges_) ++begin_[from + 1];
    for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  }

  // Breadth first, from the node back to itself; only the blocks on the way are kept.
  std::vector<std::size_t> shortest_circle(Node start) const {
    std::vector<std::pair<Node, Node>> reached = {{start, kNoNode}}; // (node, where in here it came from)
    absl::flat_hash_set<Node> seen;
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const Node node = reached[i].first;
      for (std::uint64_t e = begin_[node]; e < begin_[node + 1]; ++e) {
        const Node next = edges_[e].second;
        if (component_[next] != component_[start]) continue;
        if (next == start) {
          std::vector<std::size_t> circle;
          for (Node j = static_cast<Node>(i); j != kNoNode; j = reached[j].second)
            if (reached[j].first < block_of_.size()) circle.push_back(block_of_[reached[j].first]);
          std::reverse(circle.begin(), circle.end());
          return circle;
        }
        if (seen.insert(next).second) reached.push_back({next, static_cast<Node>(i)});
      }
    }
    return {block_of_[start]};
  }

  const Computation& computation_;
  std::vector<Node> node_of_;         // by step
  std::vector<std::size_t> block_of_; // the first nodes are blocks: their indices
  Node nodes_ = 0;
  std::vector<std::pair<Node, Node>> edges_; // sorted
  std::vector<std::uint64_t> begin_;         // by node: its first edge
  std::vector<std::uint32_t> component_;     // by node
};

} // namespace

std::vector<Entangled> entangled_blocks(const Computation& computation, const std::vector<Block>& blocks) {
  const bool any = std::any_of(blocks.begin(), blocks.end(), [](const Block& b) { return b.interruptible(); });
  if (!any) return {};
  return Graph(computation, blocks).run();
}

} // namespace sooth::predict
