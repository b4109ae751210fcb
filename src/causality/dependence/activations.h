// One thread's activations, and the nodes of a dependence graph that static sources stand for in
// them.
//
//     a = f(x);     the source of a is "the result of the call": in the activation of f that this
//                   call began, that is the node of f's return value
//
// Question: which nodes is a value made of, at this moment of the thread?
// Source: jPredictor, end of section 2.3: dependence is followed through calls as they happened;
//   trace/static_facts.h. The graph is the caller's: `full` and `sliced` have different ones, and
//   walk through the same calls.
// Cost: a source costs a hash lookup.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "trace/trace.h"

namespace sooth::causality {

// The static facts of the functions that events enter. For all threads.
class FactIndex {
public:
  explicit FactIndex(const trace::StaticFacts& facts);

  const trace::StaticFacts& facts;
  static constexpr std::uint32_t kNoFunction = 0xffffffff;
  std::uint32_t function_at(std::uint32_t site) const; // kNoFunction: nothing is known of it
  // Whether the `enter` event begins an activation of the very function that its call site names,
  // and not of one that code without hooks called back.
  bool is_called_directly(const trace::Event& enter) const;
  bool wants_every(std::uint32_t site) const { return site < every_.size() && every_[site]; }

private:
  absl::flat_hash_map<std::uint32_t, std::uint32_t> functions_; // by site
  std::vector<bool> every_;                                     // by site: all of its instances are asked for
};

class Activations {
public:
  using Node = std::uint32_t;
  static constexpr Node kNoNode = 0xffffffff;

  struct Graph {
    std::function<Node(std::span<const Node>)> join; // kNoNode among them does not count
    std::function<Node()> everything;                // all that the thread has read so far
    bool branches = false;                           // a value that a branch chose depends on the branch
  };
  Activations(const FactIndex& index, Graph graph);

  Node value_of(trace::SourceSet set);
  void enter(const trace::Event& enter, Node node);
  // Ends activations until so many are left. Calls `returned(node)` for values that go to code
  // without hooks.
  void leave(std::uint64_t remaining, const std::function<void(Node)>& returned);
  void note_read(std::uint32_t site, Node node) { note(stack_.back().loads[site], site, node); }
  void note_event(std::uint32_t site, Node node) { stack_.back().latest[site] = node; }
  // The latest event at the site, in this activation.
  Node latest(std::uint32_t site) const;
  Node begun_by() const { return stack_.back().begun_by; } // the `enter` of this activation
  std::uint32_t function() const { return stack_.back().function; }

private:
  struct Instances {
    Node latest = kNoNode;
    Node every = kNoNode;
  };
  struct Activation {
    std::uint32_t function = FactIndex::kNoFunction;
    std::uint32_t call_site = 0;
    bool caller_known = false; // called directly from the activation below
    Node begun_by = kNoNode;
    std::vector<Node> parameters;
    absl::flat_hash_map<std::uint32_t, Instances> loads, results; // by site
    absl::flat_hash_map<std::uint32_t, Node> latest;              // by site
  };
  void note(Instances& instances, std::uint32_t site, Node node);

  const FactIndex& index_;
  const Graph graph_;
  std::vector<Activation> stack_; // [0] is the caller of the thread's first function
};

} // namespace sooth::causality
