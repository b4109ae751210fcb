// The half of must_order.h that follows values and locks.
#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "predict/question/index.h"
#include "predict/question/must_order.h"

namespace sooth::predict {

// One pass over all steps, in the observed order.
class ValueOrders {
public:
  // `known`: the facts of the pass before.
  ValueOrders(const trace::Trace& trace, const Index& index, MustOrder::Of orders, const MustOrder& known,
              MustOrder& out)
      : trace_(trace), index_(index), c_(index.computation), orders_(orders), known_(known), out_(out),
        now_(c_.threads.size()), begun_(c_.threads.size(), false), held_(c_.threads.size()),
        observed_(c_.locations.size()), by_value_(c_.locations.size()) {}

  void run() {
    SharedCounts standing; // every run begins with these steps
    SharedCounts observed; // so far
    std::size_t order = 0;
    for (StepId id = 0; id < c_.steps.size(); ++id) {
      const causality::Step& step = c_.steps[id];
      SharedCounts& clock = now_[step.thread];
      const SharedCounts before = clock;
      if (id < c_.standing) standing.raise(out_.chain_[step.thread], out_.place(step) + 1);
      else if (!begun_[step.thread]) begun_[step.thread] = true, clock.join(standing);
      order = out_.join_orders(trace_, order, id, orders_, clock);
      for (const StepId need : index_.needs(id)) clock.join(out_.up_to(c_.steps[need]));
      if ((step.flags & causality::kExternalRead) != 0) clock.join(observed);
      look_at_operations(id, clock);
      if (index_.reads_freely()) look_at_dependence(id, clock);
      if (!before.covers(clock)) {
        close_sections(id, clock);
        out_.changes_[step.thread].push_back({step.place, clock});
      }
      if (index_.reads_freely()) note_what_is_written(id);
      forget_released(id);
      if (!index_.pinned.empty()) observed.raise(out_.chain_[step.thread], out_.place(step) + 1);
    }
  }

private:
  // Beyond this, one step would cost too much.
  static constexpr std::size_t kMostThreads = 64;

  struct Held {
    std::uint32_t lock = 0;
    bool exclusive = true;
  };

  void look_at_operations(StepId id, SharedCounts& clock) {
    const causality::Step& step = c_.steps[id];
    for (std::uint32_t n = step.first_operation; n < step.first_operation + step.operations; ++n) {
      const Operation& o = c_.operations[n];
      if (o.kind == OperationKind::Read && !index_.reads_identity() && !index_.reads_freely()) {
        if (!is_known(id, o, clock)) clock.join(behind_writes(id, n, clock));
      } else if (o.kind == OperationKind::Write && !index_.reads_freely()) {
        observed_[o.object] = {id, o.value};
      } else if (o.kind == OperationKind::Acquire || o.kind == OperationKind::AcquireShared) {
        held_[step.thread].push_back({o.object, o.kind == OperationKind::Acquire});
        close_sections(held_[step.thread].back(), id, clock);
      }
    }
  }

  // Model full: a read is bound where something decides by it. Each node gets what holds if its
  // value is as it was.
  void look_at_dependence(StepId id, SharedCounts& clock) {
    const causality::StepDependence& dependence = c_.dependence;
    const causality::StepDependence::Row& row = dependence.steps[id];
    SharedCounts reads;
    const causality::Step& step = c_.steps[id];
    for (std::uint32_t n = step.first_operation; n < step.first_operation + step.operations; ++n) {
      const Operation& o = c_.operations[n];
      if (o.kind == OperationKind::Read && !is_known(id, o, clock)) reads.join(behind_writes(id, n, clock));
      if (o.kind == OperationKind::Write) observed_[o.object] = {id, o.value};
    }
    for (causality::DependenceNode node = row.first_node; node < row.first_node + row.nodes; ++node)
      out_.of_node_[node] = dependence.nodes[node].reads ? reads : joined(dependence.nodes[node].children);
    clock.join(joined(row.decides));
  }
  SharedCounts joined(const causality::StepDependence::Slice& nodes) const {
    SharedCounts out;
    for (const causality::DependenceNode node : c_.dependence.of(nodes)) out.join(out_.of_node_[node]);
    return out;
  }
  void note_what_is_written(StepId id) {
    SharedCounts sources = joined(c_.dependence.steps[id].writes);
    if (!sources.empty()) sources_.emplace(id, std::move(sources));
  }

  // A write that a read may see. Later ones of the same value in its thread come behind it. In the
  // model full they may depend on other reads than this one does.
  struct Seen {
    StepId write = kNoStep;
    bool only = false; // there are no such later ones
  };

  // What a run has before the write, if it writes what it wrote, or a later one does.
  SharedCounts as_written(const Seen& seen, StepId now) const {
    const StepId write = seen.write;
    if (write >= now) return known_.up_to(c_.steps[write]);
    SharedCounts clock = out_.up_to(c_.steps[write]);
    if (!seen.only) return clock;
    if (const auto it = sources_.find(write); it != sources_.end()) clock.join(it->second);
    return clock;
  }

  void forget_released(StepId id) {
    const causality::Step& step = c_.steps[id];
    for (const Operation& o : c_.operations_of(id))
      if (o.kind == OperationKind::Release || o.kind == OperationKind::ReleaseShared) {
        auto& held = held_[step.thread];
        const auto it = std::ranges::find(held, o.object, &Held::lock);
        if (it != held.end()) held.erase(it);
      }
  }

  // Most reads: the write that was seen is known to come before the read already, or nothing was
  // written before. Then the rule adds nothing. No write of another value is known to come between
  // the two: what holds in every run holds in the observed one.
  bool is_known(StepId id, const Operation& read, const SharedCounts& clock) const {
    const Observed& last = observed_[read.object];
    if (last.write == kNoStep) return c_.locations[read.object].initial == read.value;
    if (last.value != read.value) return false; // the order of steps does not explain it
    const causality::Step& write = c_.steps[last.write];
    return write.thread == c_.steps[id].thread || out_.steps_in(clock, write.thread) > write.place;
  }

  // Rule `reads`: what the read `n` of step `id` comes behind, besides what its thread's clock has.
  SharedCounts behind_writes(StepId id, std::uint32_t n, const SharedCounts& clock) {
    const Operation& read = c_.operations[n];
    const LocationIndex& location = index_.locations[read.object];
    if (location.threads.size() > kMostThreads) return {};
    // Of each thread: its last write that is known to come before the read, by what it writes; and
    // its first write of the value behind that.
    absl::InlinedVector<StepId, 8> with_value, others;
    bool may_come = false; // a write behind the read, as far as is known
    SharedCounts least;    // what all of these come behind
    for (std::size_t t = 0; t < location.threads.size(); ++t) {
      const ThreadAccesses& own = location.threads[t];
      const bool mine = own.thread == c_.steps[id].thread;
      const auto known = mine ? std::ranges::lower_bound(own.writes, n, {}, &Access::operation)
                              : std::ranges::lower_bound(own.writes, out_.steps_in(clock, own.thread), {},
                                                         [&](const Access& w) { return c_.steps[w.step].place; });
      if (known != own.writes.begin())
        (std::prev(known)->value == read.value ? with_value : others).push_back(std::prev(known)->step);
      if (mine) continue;
      const auto from = static_cast<std::uint32_t>(known - own.writes.begin());
      const std::uint32_t next = next_write(read.object, t, read.value, from);
      if (next == kNoWrite || known_.precedes(id, own.writes[next].step)) continue;
      // Only in the model full does a write depend on more than its thread's steps.
      const bool only = index_.reads_freely() && next_write(read.object, t, read.value, next + 1) == kNoWrite;
      const SharedCounts behind = as_written({own.writes[next].step, only}, id);
      least = may_come ? SharedCounts::common(least, behind) : behind;
      may_come = true;
      if (clock.covers(least)) return {}; // as it is mostly where many threads write: no more to learn
    }
    // It may see a write that its thread knows already, or what was there at the beginning.
    const auto overwritten = [&](StepId write) {
      return std::ranges::any_of(others, [&](StepId other) { return other != write && out_.precedes(write, other); });
    };
    if (!std::ranges::all_of(with_value, overwritten)) return {};
    if (with_value.empty() && others.empty() && c_.locations[read.object].initial == read.value) return {};
    return least;
  }

  static constexpr std::uint32_t kNoWrite = 0xffffffff;
  // The thread's first write of the value, from its write number `from` on.
  std::uint32_t next_write(std::uint32_t location, std::size_t thread, std::uint32_t value, std::uint32_t from) {
    auto& sorted = by_value_[location];
    const std::span<const ThreadAccesses> threads = index_.locations[location].threads;
    if (sorted.empty()) {
      sorted.resize(threads.size());
      for (std::size_t t = 0; t < threads.size(); ++t) {
        for (std::uint32_t i = 0; i < threads[t].writes.size(); ++i)
          sorted[t].push_back({threads[t].writes[i].value, i});
        std::ranges::sort(sorted[t]);
      }
    }
    const auto it = std::ranges::lower_bound(sorted[thread], std::pair(value, from));
    return it == sorted[thread].end() || it->first != value ? kNoWrite : it->second;
  }

  // Rule `locks`, for all that the thread holds, until nothing changes.
  void close_sections(StepId id, SharedCounts& clock) const {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Held& held : held_[c_.steps[id].thread]) changed |= close_sections(held, id, clock);
    }
  }
  bool close_sections(const Held& held, StepId id, SharedCounts& clock) const {
    const std::vector<ThreadSections>& users = index_.lock_threads[held.lock];
    if (users.size() > kMostThreads) return false;
    bool changed = false;
    for (const ThreadSections& user : users) {
      if (user.thread == c_.steps[id].thread) continue;
      const std::uint32_t known = out_.steps_in(clock, user.thread);
      const auto& sections = held.exclusive ? user.all : user.exclusive;
      const auto behind = std::ranges::lower_bound(
          sections, known, {}, [&](std::uint32_t n) { return c_.steps[index_.locks[held.lock][n].begin].place; });
      if (behind == sections.begin()) continue;
      const StepId end = index_.locks[held.lock][*std::prev(behind)].end;
      if (end >= id || c_.steps[end].place < known) continue; // a misused lock may end nowhere, or later
      clock.join(out_.up_to(c_.steps[end]));
      changed = true;
    }
    return changed;
  }

  const trace::Trace& trace_;
  const Index& index_;
  const Computation& c_;
  const MustOrder::Of orders_;
  const MustOrder& known_;
  MustOrder& out_;
  std::vector<SharedCounts> now_;       // by thread
  std::vector<bool> begun_;             // by thread: behind the standing steps
  std::vector<std::vector<Held>> held_; // by thread
  struct Observed {
    StepId write = kNoStep;
    std::uint32_t value = 0;
  };
  std::vector<Observed> observed_;                    // by location: the last write so far
  absl::flat_hash_map<StepId, SharedCounts> sources_; // of a write: what holds if it writes what it wrote
  // By location and thread: value and number of each write, ascending.
  std::vector<std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>>> by_value_;
};

MustOrder::MustOrder(const trace::Trace& trace, const Index& index, Of orders)
    : MustOrder(trace, index.computation, orders) {
  if (index.reads_freely()) of_node_.resize(index.computation.dependence.nodes.size());
  constexpr unsigned kPasses = 2;
  for (unsigned pass = 0; pass < kPasses; ++pass) {
    const MustOrder known = *this;
    changes_.assign(index.computation.threads.size(), {});
    ValueOrders(trace, index, orders, known, *this).run();
  }
}

} // namespace sooth::predict
