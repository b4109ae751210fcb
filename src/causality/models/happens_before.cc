// The causal model `hb`: runs keep every pair of conflicting accesses in the observed order.
//
//     1 T1 write x
//     2 T1 acquire m
//     3 T1 release m
//     4 T2 write z
//     5 T2 acquire m
//     6 T2 release m
//     7 T2 write x
//
// 4 may come anywhere before 5. But 3 comes before 5, so 1 comes before 7: no race on x.
//
// Question: in which orders could the relevant events have come?
// Source: JMPaX online, sections 2.2 and 3.1; maximal models, Theorem 2. A lock is a variable that
//   is written when it is acquired and when it is released (shared: read). The computation has the
//   orders of the other primitives.
// Where we differ: blocks. Events that no other thread may separate (glued accesses; calls and
//   branches behind the event that they cling to) happen together. They see everything that any of
//   them sees before the first, and leave everything that any of them leaves after the last.
// Cost: one pass of Algorithm A over the trace; a node is enabled by comparing clocks.
//
// The rules of docs/trace_format.md. Rule 1: a hold is an access of its bytes at its beginning and
// one at its end, as strong as the rule asks; so accesses of other threads before or after the hold
// stay there. If the observed order itself breaks a hold or separates a block, both threads are cut
// off. Rule 2: writes to variables that properties can name are never merged. Rule 3: blocks, as
// above. Rule 4: the computation says how far a thread can be trusted; steps that depend on more
// are in no run. Writes to variables that properties can name are always kept, and accesses that
// conflict with them never move past them. So between two states of a run here, no state of the
// program's run is missing.
#include <algorithm>
#include <limits>

#include <absl/container/flat_hash_map.h>

#include "causality/computation/blocks.h"
#include "causality/computation/operation_access.h"
#include "causality/models/clocked_model.h"

namespace sooth::causality {

namespace {

using trace::Event;
using trace::EventKind;

// Numbers for everything that is accessed: locations, then locks, then the names of `watch` events.
class Objects {
public:
  explicit Objects(const trace::Trace& trace, const Computation& computation)
      : names_(computation.locations.size() + computation.locks.size()), end_(names_ + trace.strings.size()) {
    const bool watches = std::ranges::any_of(trace.events, [](const Event& e) { return e.kind == EventKind::Watch; });
    for (std::size_t i = 0; watches && i < computation.locations.size(); ++i)
      by_address_.emplace_back(computation.locations[i].address, i);
    std::ranges::sort(by_address_);
  }

  std::size_t count() const { return end_; }
  // The object that a name stands for is a variable that `watch` writes. From then on properties
  // see the contents of that object, so `watch` reads it.
  template <typename Do>
  void for_each_watched(const Event& e, Do act) const {
    const std::uint64_t name = e.value >> 32, bytes = e.value & 0xffffffff;
    if (e.kind != EventKind::Watch || e.has(trace::kFill) || name >= end_ - names_) return;
    act(Access{names_ + name, true});
    const auto first =
        std::ranges::lower_bound(by_address_, e.address, {}, [](const auto& entry) { return entry.first; });
    for (auto place = first; place != by_address_.end() && place->first < e.address + bytes; ++place)
      act(Access{place->second, false});
  }

private:
  std::size_t names_, end_;
  std::vector<std::pair<std::uint64_t, std::size_t>> by_address_; // locations, if there are watches
};

class HappensBefore : public ClockedModel {
public:
  HappensBefore(const trace::Trace& trace, const Computation& computation, const Relevance& relevance)
      : ClockedModel(trace.threads.size()), trace_(trace), computation_(computation), objects_(trace, computation),
        blocks_(blocks_of(trace, computation)), visible_(trace.events.size(), false) {
    for (const EventIndex event : relevance.events) visible_[event] = true;
    stamp();
  }

  std::string_view name() const override { return "hb"; }
  std::vector<EventIndex> run_along(std::span<const EventIndex> path) const override;
  std::span<const std::string> limits() const override { return limits_; }

private:
  // The accesses of a block: those it begins with, and ends of holds.
  template <typename Do>
  void for_each_access(const Block& block, Do act) const {
    if (block.begins != kNoStep)
      for (const Operation& o : computation_.operations_of(block.begins))
        if (o.kind != OperationKind::HoldEnd && !is_counted(o.kind)) act(access_of(o, computation_));
    if (block.ends != kNoStep)
      for (const Operation& o : computation_.operations_of(block.ends))
        if (o.kind == OperationKind::HoldEnd) act(access_of(o, computation_));
    for (const std::uint32_t event : blocks_.events_of(block)) objects_.for_each_watched(trace_.events[event], act);
  }
  void stamp();
  bool breaks_hold(const Block& block) const;
  void follow_holds(const Block& block);
  std::span<const Order> orders_before(StepId step) const {
    const auto [first, last] = std::ranges::equal_range(computation_.recorded_orders(), step, {}, &Order::second);
    return {first, last};
  }

  const trace::Trace& trace_;
  const Computation& computation_;
  const Objects objects_;
  const Blocks blocks_;
  std::vector<bool> visible_; // by event
  std::vector<std::string> limits_;

  struct OpenHold {
    std::uint32_t thread;
    bool writes;
  };
  absl::flat_hash_map<std::size_t, std::vector<OpenHold>> holds_; // by location; while stamping
};

// The observed order has this block inside a hold that it may not be in.
bool HappensBefore::breaks_hold(const Block& block) const {
  if (holds_.empty()) return false;
  bool breaks = false;
  for_each_access(block, [&](const Access& access) {
    const auto found = holds_.find(access.object);
    if (found == holds_.end()) return;
    for (const OpenHold& hold : found->second)
      breaks = breaks || (hold.thread != block.thread && (hold.writes || access.writes));
  });
  return breaks;
}

void HappensBefore::follow_holds(const Block& block) {
  if (block.begins != kNoStep)
    for (const Operation& o : computation_.operations_of(block.begins))
      if (o.kind == OperationKind::HoldBegin) holds_[o.object].push_back({block.thread, o.value == 1});
  if (block.ends == kNoStep || holds_.empty()) return;
  for (const Operation& o : computation_.operations_of(block.ends)) {
    if (o.kind != OperationKind::HoldEnd) continue;
    const auto found = holds_.find(o.object);
    if (found == holds_.end()) continue;
    std::erase_if(found->second, [&](const OpenHold& hold) { return hold.thread == block.thread; });
    if (found->second.empty()) holds_.erase(found);
  }
}

// Algorithm A, block by block. A step that must not be in any predicted run gets a component that
// no cut ever has, and every step that depends on it inherits that.
void HappensBefore::stamp() {
  const auto unknown = static_cast<ThreadNumber>(trace_.threads.size());
  AlgorithmA clocks(trace_.threads.size(), objects_.count());
  std::vector<bool> is_source(computation_.steps.size(), false);
  for (const Order& order : computation_.recorded_orders()) is_source[order.first] = true;
  std::vector<bool> stamped(computation_.steps.size(), false);
  absl::flat_hash_map<StepId, SharedClock> sources;
  std::uint64_t unpredictable = 0;

  for (const Block& block : blocks_.blocks) {
    const ThreadNumber t = block.thread;
    // Everything that the block sees.
    for_each_access(block, [&](const Access& access) {
      if (access.writes) clocks.see_accesses(t, access.object);
      else clocks.see_writes(t, access.object);
    });
    bool untrusted = block.parted || breaks_hold(block);
    if (block.begins != kNoStep) {
      const Step& step = computation_.steps[block.begins];
      for (const Order& order : orders_before(block.begins)) {
        if (const auto source = sources.find(order.first); source != sources.end()) clocks.see(t, source->second);
        else untrusted = untrusted || !stamped[order.first];
      }
      if ((step.flags & kExternalRead) != 0)
        for (ThreadNumber other = 0; other < trace_.threads.size(); ++other) clocks.see(t, clocks.now(other));
      untrusted = untrusted || step.place >= computation_.threads[t].trusted;
    }
    if (untrusted) clocks.raise(t, unknown, 1);
    // Its relevant events.
    const std::size_t before = steps_[t].size();
    for (const std::uint32_t event : blocks_.events_of(block)) {
      if (!visible_[event]) continue;
      clocks.count(t);
      const SharedClock& now = clocks.now(t);
      if ((*now)[unknown] != 0) {
        ++unpredictable;
        continue;
      }
      add_step({event, true, true}, t, now);
    }
    if (steps_[t].size() > before) steps_[t].back().glued = false;
    // Everything that it leaves behind.
    for_each_access(block, [&](const Access& access) {
      if (access.writes) clocks.leave_write(t, access.object);
      else clocks.leave_read(t, access.object);
    });
    if (block.begins != kNoStep) {
      stamped[block.begins] = true;
      if (is_source[block.begins]) sources[block.begins] = clocks.now(t);
    }
    follow_holds(block);
  }
  holds_.clear();
  if (unpredictable != 0)
    limits_.push_back(std::to_string(unpredictable) +
                      " relevant events are in no predicted run, because they depend on what was not recorded exactly");
}

// The same order backwards: every block gets the number of the first step of the path that it must
// precede (or is). Sorted by that number, and among equals as observed, the blocks are a run.
std::vector<EventIndex> HappensBefore::run_along(std::span<const EventIndex> path) const {
  using Label = std::uint32_t;
  constexpr Label kNever = std::numeric_limits<Label>::max();
  absl::flat_hash_map<EventIndex, Label> place;
  for (std::size_t k = 0; k < path.size(); ++k) place.emplace(path[k], static_cast<Label>(k));
  std::vector<Label> of_thread(trace_.threads.size(), kNever);
  std::vector<Label> of_accesses(objects_.count(), kNever), of_writes(objects_.count(), kNever);
  std::vector<Label> of_step(computation_.steps.size(), kNever); // that of the steps that it must precede
  Label of_external = kNever;
  std::vector<std::pair<Label, std::size_t>> chosen; // label, block

  for (std::size_t b = blocks_.blocks.size(); b-- > 0;) {
    const Block& block = blocks_.blocks[b];
    Label label = std::min(of_thread[block.thread], of_external);
    for_each_access(block, [&](const Access& access) {
      label = std::min(label, access.writes ? of_accesses[access.object] : of_writes[access.object]);
    });
    if (block.begins != kNoStep) label = std::min(label, of_step[block.begins]);
    for (const std::uint32_t event : blocks_.events_of(block)) {
      if (!visible_[event]) continue;
      if (const auto found = place.find(event); found != place.end()) label = std::min(label, found->second);
    }
    if (label == kNever) continue;
    chosen.emplace_back(label, b);
    of_thread[block.thread] = label;
    for_each_access(block, [&](const Access& access) {
      of_accesses[access.object] = std::min(of_accesses[access.object], label);
      if (access.writes) of_writes[access.object] = std::min(of_writes[access.object], label);
    });
    if (block.begins == kNoStep) continue;
    for (const Order& order : orders_before(block.begins)) of_step[order.first] = std::min(of_step[order.first], label);
    if ((computation_.steps[block.begins].flags & kExternalRead) != 0) of_external = std::min(of_external, label);
  }
  std::ranges::sort(chosen);
  std::vector<EventIndex> out;
  for (const auto& [label, b] : chosen) {
    const auto events = blocks_.events_of(blocks_.blocks[b]);
    out.insert(out.end(), events.begin(), events.end());
  }
  return out;
}

} // namespace

Result<std::unique_ptr<Model>> make_happens_before(const trace::Trace& trace, const Computation& computation,
                                                   const Relevance& relevance) {
  return std::unique_ptr<Model>(std::make_unique<HappensBefore>(trace, computation, relevance));
}

} // namespace sooth::causality
