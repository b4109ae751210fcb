// Which reads of its own thread each step depends on, as a graph whose leaves are the reads of
// shared memory.
//
//     T1 read  x = 1           leaf n1
//     T1 write p = x + 1       p is T1's own: node n2, child n1
//     T1 write y = p           what it writes depends on n2, and so on the read of x
//
// Question: if some reads had seen other values, would the thread still do the same steps, and
//   which of its writes would change?
// Source: jPredictor, section 2.3 (control-flow and data-flow dependence), on the steps of a
//   computation. A run may let a read return any value as long as no decision depends on it
//   (docs/sliced.md).
// Where we differ: dependence through memory that threads share is not in the graph. Which write a
//   read sees depends on the run, so the engines follow it there. Only memory that no other thread
//   touches is looked through.
// Cost: memory in proportion to events and their static sources.
//
// A node stands for a value that the thread had: it depends on other values of its thread (its
// children), or a step read it. Nodes are shared, so the graph has the size of the trace where sets
// of reads would be quadratic.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sooth::causality {

using DependenceNode = std::uint32_t;

struct StepDependence {
  struct Slice { // of `items`
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  struct Node {
    bool reads = false; // what its step read; then it has no children
    Slice children;     // nodes of the same thread, made before it
  };
  struct Row {                    // of one step
    std::uint32_t first_node = 0; // nodes that this step makes: [first_node, first_node + nodes)
    std::uint32_t nodes = 0;      //
    DependenceNode own = 0;       // what the step reads; kNoNode if nothing depends on it
    Slice decides;                // if the step is in a run, these are as they were
    Slice stands;                 // if its thread stands directly before the step, these are as they were
    Slice writes;                 // what the step writes depends on these
  };
  static constexpr DependenceNode kNoNode = 0xffffffff;

  bool known = false; // false: there are no static facts; then every read counts
  std::vector<Node> nodes;
  std::vector<std::uint32_t> step_of_node;
  std::vector<Row> steps;            // by step
  std::vector<Slice> value_of_event; // by event: what it reads or writes depends on these, also in memory of its own
  std::vector<DependenceNode> items;

  std::span<const DependenceNode> of(const Slice& slice) const {
    return std::span(items).subspan(slice.first, slice.count);
  }
};

// Taint, forwards: the nodes that a step makes are tainted if a node they depend on is.
// `earlier(node)` says so for the nodes of its thread's earlier steps.
template <typename Earlier>
class StepTaint {
public:
  StepTaint(const StepDependence& dependence, std::uint32_t step, bool reads_tainted, const Earlier& earlier)
      : dependence_(dependence), row_(dependence.steps[step]), earlier_(earlier), own_(row_.nodes) {
    for (std::uint32_t i = 0; i < row_.nodes; ++i) {
      const StepDependence::Node& node = dependence.nodes[row_.first_node + i];
      own_[i] = node.reads ? reads_tainted : any(node.children);
    }
  }
  bool operator()(DependenceNode node) const {
    return node >= row_.first_node && node - row_.first_node < own_.size() ? own_[node - row_.first_node]
                                                                           : earlier_(node);
  }
  bool any(const StepDependence::Slice& slice) const {
    for (const DependenceNode node : dependence_.of(slice))
      if ((*this)(node)) return true;
    return false;
  }
  bool decides() const { return any(row_.decides); }
  bool writes() const { return any(row_.writes); }

private:
  const StepDependence& dependence_;
  const StepDependence::Row& row_;
  const Earlier& earlier_;
  std::vector<bool> own_;
};

} // namespace sooth::causality
