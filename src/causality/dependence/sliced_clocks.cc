#include "causality/dependence/sliced_clocks.h"

#include <algorithm>

#include <absl/container/flat_hash_map.h>

namespace sooth::causality {
namespace {

// What matters. A relevant event matters by its presence; everything that it depends on matters
// with its state.
class Importance {
public:
  explicit Importance(std::span<const SlicedNode> nodes) : nodes_(nodes), there_(nodes.size()), state_(nodes.size()) {}

  bool there(std::uint32_t node) const { return there_[node]; }
  bool state(std::uint32_t node) const { return state_[node]; }

  // Marks the relevant event and all events that it depends on. Returns the first newly marked node
  // other than the event itself; the event if there is none.
  std::uint32_t mark(std::uint32_t relevant, Looked looked) {
    std::uint32_t first = relevant;
    there_[relevant] = true;
    follow(nodes_[relevant].control);
    if (looked == Looked::State) {
      state_[relevant] = true;
      follow(nodes_[relevant].data);
    }
    while (!waiting_.empty()) {
      const std::uint32_t node = waiting_.back();
      waiting_.pop_back();
      if (state_[node]) continue;
      first = std::min(first, node);
      there_[node] = state_[node] = true;
      follow(nodes_[node].control);
      follow(nodes_[node].data);
    }
    return first;
  }

private:
  void follow(const std::vector<std::uint32_t>& on) { waiting_.insert(waiting_.end(), on.begin(), on.end()); }

  std::span<const SlicedNode> nodes_;
  std::vector<bool> there_, state_;
  std::vector<std::uint32_t> waiting_;
};

// One pass over nodes that matter.
class Pass {
public:
  explicit Pass(std::span<const SlicedNode> nodes) : nodes_(nodes), clocks_(nodes.size()) {}

  void step(std::uint32_t n, Looked looked, const Importance& importance, SlicedClocks& out) {
    const SlicedNode& node = nodes_[n];
    Clock clock;
    for (const std::uint32_t on : node.control) clock.join(clocks_[on]);
    if (node.event) clock.join(threads_[node.thread]);
    if (looked != Looked::Away) ++ticks_[node.thread];
    if (looked == Looked::There) {
      out.clocks[n] = clock;
      out.clocks[n].raise(node.thread, ticks_[node.thread]);
    }
    const bool state = importance.state(n);
    if (state)
      for (const std::uint32_t on : node.data) clock.join(clocks_[on]);
    if (state && node.writes)
      for (const std::uint32_t variable : node.variables) clock.join(variables_[variable].accesses);
    if (state && node.reads)
      for (const std::uint32_t variable : node.variables) clock.join(variables_[variable].write);
    if (looked != Looked::Away) clock.raise(node.thread, ticks_[node.thread]);
    if (looked == Looked::State) out.clocks[n] = clock;
    if (state)
      for (const std::uint32_t variable : node.variables) {
        if (node.writes) variables_[variable] = {clock, clock};
        else if (node.reads) variables_[variable].accesses.join(clock);
      }
    if (node.event) threads_[node.thread] = clock;
    clocks_[n] = std::move(clock);
  }

private:
  struct Variable {
    Clock write, accesses;
  };
  std::span<const SlicedNode> nodes_;
  std::vector<Clock> clocks_; // by node
  absl::flat_hash_map<ThreadNumber, Clock> threads_;
  absl::flat_hash_map<ThreadNumber, Count> ticks_;
  absl::flat_hash_map<std::uint32_t, Variable> variables_;
};

SlicedClocks empty_clocks(std::size_t nodes) {
  SlicedClocks out;
  out.important.resize(nodes);
  out.clocks.resize(nodes);
  return out;
}

} // namespace

SlicedClocks sliced_clocks_offline(std::span<const SlicedNode> nodes, std::span<const Looked> relevant) {
  SlicedClocks out = empty_clocks(nodes.size());
  Importance importance(nodes);
  for (auto n = static_cast<std::uint32_t>(nodes.size()); n-- > 0;)
    if (relevant[n] != Looked::Away) importance.mark(n, relevant[n]);
  Pass pass(nodes);
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    out.important[n] = importance.there(n);
    if (importance.there(n)) pass.step(n, relevant[n], importance, out);
  }
  return out;
}

// An event matters only when something relevant turns out to depend on it. If its thread, or a
// variable, has gone on without it by then (its clock is not in theirs), the clocks since are
// computed anew: cases (A) and (B) of Fig. 4.
SlicedClocks sliced_clocks_online(std::span<const SlicedNode> nodes, std::span<const Looked> relevant) {
  SlicedClocks out = empty_clocks(nodes.size());
  Importance importance(nodes);
  Pass pass(nodes);
  std::uint32_t done = 0; // the pass has taken in all nodes before this one that matter
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    if (relevant[n] == Looked::Away) continue; // kept until something relevant asks for it
    const std::uint32_t first = importance.mark(n, relevant[n]);
    if (first < done) {
      ++out.went_back;
      pass = Pass(nodes);
      done = 0;
    }
    for (; done <= n; ++done)
      if (importance.there(done)) pass.step(done, relevant[done], importance, out);
  }
  for (std::uint32_t n = 0; n < nodes.size(); ++n) out.important[n] = importance.there(n);
  return out;
}

} // namespace sooth::causality
