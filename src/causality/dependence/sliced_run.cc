#include "causality/dependence/sliced_run.h"

#include <algorithm>

#include <absl/container/flat_hash_map.h>

#include "trace/effects.h"

namespace sooth::causality {

using trace::Event;

SlicedRun::SlicedRun(const trace::Trace& trace, const Computation& computation, const SlicedGraph& graph)
    : trace_(trace), computation_(computation), graph_(graph), blocks_(blocks_of(trace, computation)),
      of_thread_(trace.threads.size()), block_of_(trace.events.size(), 0), place_(blocks_.blocks.size(), 0),
      stands_for_(graph.nodes.size()) {
  for (std::uint32_t b = 0; b < blocks_.blocks.size(); ++b) {
    const Block& block = blocks_.blocks[b];
    place_[b] = static_cast<std::uint32_t>(of_thread_[block.thread].size());
    of_thread_[block.thread].push_back(b);
    for (const std::uint32_t event : blocks_.events_of(block)) block_of_[event] = b;
  }
  std::vector<std::uint32_t> event_of_node(graph.nodes.size(), 0);
  for (std::uint32_t i = 0; i < graph.node_of_event.size(); ++i) event_of_node[graph.node_of_event[i]] = i;
  // The events that a node depends on come before it. Events have one entry, themselves.
  for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
    if (graph.nodes[n].event) {
      const std::uint32_t block = block_of_[event_of_node[n]];
      stands_for_[n].raise(blocks_.blocks[block].thread, place_[block] + 1);
    } else {
      for (const std::uint32_t on : graph.nodes[n].data) stands_for_[n].join(stands_for_[on]);
    }
  }
}

class SlicedRun::Filling {
public:
  Filling(const SlicedRun& run, std::span<const EventIndex> path, const std::vector<bool>& important)
      : run_(run), important_(important), needed_(run.of_thread_.size(), 0), done_(run.of_thread_.size(), 0) {
    for (std::size_t i = 0; i < path.size(); ++i) place_in_path_.emplace(path[i], i);
    for (const EventIndex event : path) need(run_.block_of_[event]);
  }

  std::vector<EventIndex> run() {
    for (;;) {
      if (const auto next = first_allowed(); next != kNone) take(next);
      else if (!let_holders_go_on()) return std::move(out_);
    }
  }

private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  struct Holder {
    ThreadNumber thread = 0;
    bool exclusive = true;
    std::uint32_t depth = 0;
  };

  const Block& block(std::uint32_t b) const { return run_.blocks_.blocks[b]; }
  std::span<const std::uint32_t> events(std::uint32_t b) const { return run_.blocks_.events_of(block(b)); }

  // How many blocks of each thread must have happened for this one to happen.
  Clock conditions(std::uint32_t b) const {
    Clock out;
    if (const StepId begins = block(b).begins; begins != kNoStep) {
      const auto [from, to] = std::ranges::equal_range(run_.computation_.recorded_orders(), begins, {}, &Order::second);
      for (auto order = from; order != to; ++order) {
        const std::uint32_t first = run_.block_of_[run_.computation_.steps[order->first].event];
        if (first < b) out.raise(block(first).thread, run_.place_[first] + 1);
      }
    }
    for (const std::uint32_t event : events(b)) {
      const std::uint32_t node = run_.graph_.node_of_event[event];
      if (!important_[node]) continue;
      for (const std::uint32_t on : run_.graph_.nodes[node].control) out.join(run_.stands_for_[on]);
      for (const std::uint32_t on : run_.graph_.nodes[node].data) out.join(run_.stands_for_[on]);
    }
    return out;
  }

  void need(std::uint32_t b) {
    std::vector<std::uint32_t> waiting = {b};
    while (!waiting.empty()) {
      const std::uint32_t here = waiting.back();
      const ThreadNumber thread = block(here).thread;
      if (needed_[thread] > run_.place_[here]) {
        waiting.pop_back();
        continue;
      }
      const Clock on = conditions(run_.of_thread_[thread][needed_[thread]++]);
      for (ThreadNumber t = 0; t < needed_.size(); ++t)
        if (t != thread && on[t] > needed_[t]) waiting.push_back(run_.of_thread_[t][on[t] - 1]);
    }
  }

  bool is_next_of_path(std::uint32_t b) const {
    std::size_t next = followed_;
    for (const std::uint32_t event : events(b))
      if (const auto found = place_in_path_.find(event); found != place_in_path_.end() && found->second != next++)
        return false;
    return true;
  }

  // A holder that keeps the thread from taking this lock; null: there is none.
  const Holder* holder(std::uint64_t lock, ThreadNumber thread, bool exclusive) const {
    const auto found = holders_.find(lock);
    if (found == holders_.end()) return nullptr;
    for (const Holder& each : found->second)
      if (each.thread != thread && (each.exclusive || exclusive)) return &each;
    return nullptr;
  }
  const Holder* holder_before(std::uint32_t b) const {
    for (const std::uint32_t event : events(b)) {
      const Event& e = run_.trace_.events[event];
      const Holder* other = nullptr;
      for_lock_move(
          e, [&](const trace::Affected& lock) { other = holder(lock.address, e.thread, !lock.shared); },
          [](const trace::Affected&) {});
      if (other != nullptr) return other;
    }
    return nullptr;
  }

  bool conditions_hold(std::uint32_t b) const {
    const Clock on = conditions(b);
    for (ThreadNumber t = 0; t < done_.size(); ++t)
      if (t != block(b).thread && on[t] > done_[t]) return false;
    return is_next_of_path(b);
  }

  std::uint32_t first_allowed() const {
    std::uint32_t best = kNone;
    for (ThreadNumber t = 0; t < done_.size(); ++t) {
      if (done_[t] >= needed_[t]) continue;
      const std::uint32_t b = run_.of_thread_[t][done_[t]];
      if (b < best && conditions_hold(b) && holder_before(b) == nullptr) best = b;
    }
    return best;
  }

  void take(std::uint32_t b) {
    for (const std::uint32_t event : events(b)) {
      const Event& e = run_.trace_.events[event];
      out_.push_back(event);
      if (place_in_path_.contains(event)) ++followed_;
      for_lock_move(
          e, [&](const trace::Affected& lock) { hold(lock.address, e.thread, !lock.shared); },
          [&](const trace::Affected& lock) { give(lock.address, e.thread); });
    }
    ++done_[block(b).thread];
  }
  void hold(std::uint64_t lock, ThreadNumber thread, bool exclusive) {
    auto& all = holders_[lock];
    const auto mine = std::ranges::find(all, thread, &Holder::thread);
    if (mine == all.end()) all.push_back({thread, exclusive, 1});
    else ++mine->depth;
  }
  void give(std::uint64_t lock, ThreadNumber thread) {
    auto& all = holders_[lock];
    const auto mine = std::ranges::find(all, thread, &Holder::thread);
    if (mine != all.end() && --mine->depth == 0) all.erase(mine);
  }

  // No thread can go on. A thread that has come as far as it must, and holds a lock that another
  // one waits for, goes on by one block.
  bool let_holders_go_on() {
    for (ThreadNumber t = 0; t < done_.size(); ++t) {
      if (done_[t] >= needed_[t]) continue;
      const std::uint32_t b = run_.of_thread_[t][done_[t]];
      const Holder* other = conditions_hold(b) ? holder_before(b) : nullptr;
      if (other == nullptr) continue;
      const std::vector<std::uint32_t>& theirs = run_.of_thread_[other->thread];
      if (done_[other->thread] < needed_[other->thread] || done_[other->thread] >= theirs.size()) continue;
      need(theirs[done_[other->thread]]);
      return true;
    }
    return false;
  }

  const SlicedRun& run_;
  const std::vector<bool>& important_;
  absl::flat_hash_map<EventIndex, std::size_t> place_in_path_;
  std::size_t followed_ = 0;                                        // events of the path
  std::vector<std::uint32_t> needed_, done_;                        // blocks, by thread
  absl::flat_hash_map<std::uint64_t, std::vector<Holder>> holders_; // by lock
  std::vector<EventIndex> out_;
};

std::vector<EventIndex> SlicedRun::along(std::span<const EventIndex> path, const std::vector<bool>& important) const {
  return Filling(*this, path, important).run();
}

} // namespace sooth::causality
