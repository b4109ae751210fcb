#include "causality/models/step_model.h"

#include <algorithm>
#include <limits>

#include <absl/container/flat_hash_map.h>

namespace sooth::causality {

namespace {

using trace::Event;
using trace::EventKind;

constexpr Count kForever = std::numeric_limits<Count>::max();
constexpr std::uint32_t kTainted = 0xffffffff; // what a tainted write leaves; no value has this number

bool is_hold_end(const Operation& o) { return o.kind == OperationKind::HoldEnd; }

} // namespace

StepModel::StepModel(std::string_view name, ReadRule rule, const trace::Trace& trace, const Computation& computation,
                     const Relevance& relevance)
    : name_(name), rule_(rule), trace_(trace), computation_(computation), blocks_(blocks_of(trace, computation)),
      steps_(trace.threads.size()), act_of_(trace.threads.size()), first_step_(blocks_.blocks.size(), kNone),
      last_step_(blocks_.blocks.size(), kNone), held_(trace.threads.size()), intervals_(computation.locations.size()),
      slot_(computation.locations.size(), kNone), last_reads_(computation.locations.size()),
      seen_(computation.locations.size()) {
  make_steps(relevance);
  make_acts();
  follow_locks();
  if (rule_ != ReadRule::ObservedOrder) track_reads();
  follow_counts();
  if (rule_ == ReadRule::Free) follow_taint(relevance);
  seen_.clear();
  std::uint64_t never = 0;
  for (const Act& act : acts_) never += act.never ? 1 : 0;
  if (never != 0)
    limits_.push_back(std::to_string(never) +
                      " steps are in no predicted run, because what they depend on was not recorded exactly");
}

// A block is a step if a monitor or another thread sees it: the computation has a step there with
// something to do, or a hold ends there. Several visible events of one block are glued steps, of
// which the first does all of its work.
void StepModel::make_steps(const Relevance& relevance) {
  std::vector<bool> visible(trace_.events.size(), false), ordered(computation_.steps.size(), false);
  for (const EventIndex event : relevance.events) visible[event] = true;
  for (const Order& order : computation_.orders) ordered[order.first] = ordered[order.second] = true;
  // The event for which a block that no monitor sees is a step, or kNone.
  const auto acting = [&](const Block& block) -> EventIndex {
    const EventIndex front = blocks_.events_of(block).front();
    if (block.begins != kNoStep) {
      const auto operations = computation_.operations_of(block.begins);
      const bool works =
          std::any_of(operations.begin(), operations.end(), [](const auto& o) { return !is_hold_end(o); });
      if (works || (computation_.steps[block.begins].flags & kExternalRead) != 0) return front;
    }
    if (block.ends != kNoStep) {
      const auto operations = computation_.operations_of(block.ends);
      if (std::any_of(operations.begin(), operations.end(), is_hold_end)) return front;
    }
    for (const EventIndex event : blocks_.events_of(block)) {
      if (trace_.events[event].kind == EventKind::Watch) return front;
      const StepId step = computation_.step_of_event[event];
      if (step != kNoStep && ordered[step] && computation_.steps[step].event == event) return event;
    }
    return kNone;
  };
  for (std::uint32_t b = 0; b < blocks_.blocks.size(); ++b) {
    const Block& block = blocks_.blocks[b];
    auto& mine = steps_[block.thread];
    const std::size_t before = mine.size();
    for (const std::uint32_t event : blocks_.events_of(block))
      if (visible[event]) mine.push_back({event, true, true});
    if (mine.size() == before) {
      const EventIndex event = acting(block);
      if (event == kNone) continue;
      mine.push_back({event, false, true});
    }
    mine.back().glued = false;
    first_step_[b] = static_cast<std::uint32_t>(before);
    last_step_[b] = static_cast<std::uint32_t>(mine.size() - 1);
    act_of_[block.thread].push_back(static_cast<std::uint32_t>(acts_.size()));
    act_of_[block.thread].resize(mine.size(), kNone);
    acts_.push_back({.block = b});
  }
}

void StepModel::make_acts() {
  std::vector<Count> taken(steps_.size(), 0); // steps of earlier blocks, by thread
  std::vector<std::uint32_t> act_of_step(computation_.steps.size(), kNone);
  absl::flat_hash_map<std::uint64_t, Need> watched; // by name: its last watch
  std::vector<bool> cut_off(steps_.size(), false);
  for (std::size_t l = 0; l < seen_.size(); ++l) seen_[l].value = computation_.locations[l].initial;

  for (std::uint32_t a = 0; a < acts_.size(); ++a) {
    Act& act = acts_[a];
    const Block& block = blocks_.blocks[act.block];
    const ThreadNumber t = block.thread;
    const Need self{t, last_step_[act.block] + 1};
    for (const std::uint32_t event : blocks_.events_of(block)) // also of a branch that ends its thread, and clings
      if (const StepId step = computation_.step_of_event[event]; step != kNoStep && act_of_step[step] == kNone)
        act_of_step[step] = a;
    if (block.begins != kNoStep) {
      const Step& step = computation_.steps[block.begins];
      const auto [first, last] = std::ranges::equal_range(computation_.orders, block.begins, {}, &Order::second);
      for (auto order = first; order != last; ++order) {
        const std::uint32_t source = act_of_step[order->first];
        if (source == kNone) {
          act.never = true; // the order goes against the observed one
          continue;
        }
        const Block& before = blocks_.blocks[acts_[source].block];
        act.needs.push_back({before.thread, last_step_[acts_[source].block] + 1});
      }
      if ((step.flags & kExternalRead) != 0)
        for (ThreadNumber u = 0; u < steps_.size(); ++u)
          if (u != t && taken[u] != 0) act.needs.push_back({u, taken[u]});
      if (step.place >= computation_.threads[t].trusted) act.never = true;
      read_operations(act, block.begins);
    }
    for (const std::uint32_t event : blocks_.events_of(block)) {
      const Event& e = trace_.events[event];
      if (e.kind != EventKind::Watch) continue;
      const auto [last, first_one] = watched.try_emplace(e.value >> 32, self);
      if (!first_one && last->second.thread != t) act.needs.push_back(last->second);
      last->second = self;
    }
    follow_holds(block, t, first_step_[act.block]);
    if (act.never) cut_off[t] = true;
    act.never = cut_off[t];
    taken[t] = self.count;
  }
}

// The values that the step's reads saw, and, where conflicting accesses keep their order, which of
// them come before it.
void StepModel::read_operations(Act& act, StepId step) {
  const Need self{blocks_.blocks[act.block].thread, last_step_[act.block] + 1};
  for (const Operation& o : computation_.operations_of(step)) {
    if (is_hold_end(o)) continue;
    act.operations.push_back(o);
    if (o.kind != OperationKind::Read && o.kind != OperationKind::Write) continue;
    Seen& seen = seen_[o.object];
    const bool writes = o.kind == OperationKind::Write;
    if (rule_ == ReadRule::ObservedOrder) {
      if (seen.write.count != 0 && seen.write.thread != self.thread) act.needs.push_back(seen.write);
      if (writes)
        for (const Need& read : seen.reads)
          if (read.thread != self.thread) act.needs.push_back(read);
    }
    if (!writes) {
      // The block stands where its first event does; another thread's write may have come into the
      // middle of it.
      if (seen.value != o.value || o.value == kUnknownValue)
        act.never = act.never || rule_ == ReadRule::ObservedOrder || rule_ == ReadRule::SameWriter;
      act.saw.push_back(rule_ == ReadRule::SameWriter ? seen.writer : o.value);
      seen.reads.push_back(self);
      continue;
    }
    act.leaves.push_back(rule_ == ReadRule::SameWriter ? step + 1 : o.value);
    seen = {step + 1, o.value, self, {}};
  }
}

void StepModel::follow_holds(const Block& block, ThreadNumber thread, Count first) {
  if (block.begins != kNoStep)
    for (const Operation& o : computation_.operations_of(block.begins))
      if (o.kind == OperationKind::HoldBegin) intervals_[o.object].push_back({thread, first, kForever, o.value == 1});
  if (block.ends == kNoStep) return;
  for (const Operation& o : computation_.operations_of(block.ends))
    if (is_hold_end(o))
      for (Interval& interval : intervals_[o.object])
        if (interval.thread == thread && interval.until == kForever) interval.until = first;
}

// The cut alone says which locks a thread has.
void StepModel::follow_locks() {
  for (ThreadNumber t = 0; t < steps_.size(); ++t) {
    std::vector<Held> now;
    std::vector<std::vector<Held>> all{now};
    bool any = false;
    for (const std::uint32_t a : act_of_[t]) {
      if (a != kNone)
        for (const Operation& o : acts_[a].operations) {
          const bool exclusive = o.kind == OperationKind::Acquire || o.kind == OperationKind::Release;
          if (o.kind == OperationKind::Acquire || o.kind == OperationKind::AcquireShared) {
            now.push_back({o.object, exclusive});
            any = true;
          } else if (o.kind == OperationKind::Release || o.kind == OperationKind::ReleaseShared) {
            std::erase(now, Held{o.object, exclusive});
          }
        }
      all.push_back(now);
    }
    if (any) held_[t] = std::move(all);
  }
}

// The state has the locations that are read.
void StepModel::track_reads() {
  for (ThreadNumber t = 0; t < steps_.size(); ++t) {
    for (Count i = 0; i < act_of_[t].size(); ++i) {
      if (act_of_[t][i] == kNone) continue;
      const Act& act = acts_[act_of_[t][i]];
      for (const Operation& o : act.operations) {
        if (o.kind != OperationKind::Read || act.never) continue;
        if (slot_[o.object] == kNone) slot_[o.object] = tracked_++;
        auto& reads = last_reads_[o.object];
        if (reads.empty() || reads.back().thread != t) reads.push_back({t, 0});
        reads.back().count = i + 1;
      }
    }
  }
}

// A semaphore's count follows from the cut; how a thread waits is part of the state. A wait inside
// of another one, by a handler, is in no predicted run.
void StepModel::follow_counts() {
  counts_.resize(computation_.semaphores.size());
  wait_slot_.assign(steps_.size(), kNone);
  waits_on_.resize(steps_.size());
  for (ThreadNumber t = 0; t < steps_.size(); ++t) {
    std::uint32_t waits = kNone;
    bool cut_off = false, ever = false;
    std::vector<std::uint32_t> all{waits};
    for (Count i = 0; i < act_of_[t].size(); ++i) {
      const std::uint32_t a = act_of_[t][i];
      if (a != kNone) {
        for (const Operation& o : acts_[a].operations) {
          if (o.kind == OperationKind::Post || o.kind == OperationKind::Take) {
            std::vector<Counts>& uses = counts_[o.object];
            if (uses.empty() || uses.back().thread != t) uses.push_back({t, {}, {}});
            (o.kind == OperationKind::Post ? uses.back().posts : uses.back().takes).push_back(i + 1);
          } else if (o.kind == OperationKind::WaitBegin) {
            cut_off |= waits != kNone;
            waits = o.object;
            ever = true;
          } else if (o.kind == OperationKind::WakeUp || o.kind == OperationKind::WakeAnyway) {
            waits = kNone;
          }
        }
        acts_[a].never |= cut_off;
      }
      all.push_back(waits);
    }
    if (!ever) continue;
    waits_on_[t] = std::move(all);
    wait_slot_[t] = tracked_++;
  }
}

// How a thread waits, in half a word: its place in the queue and 1, signals, broadcast.
namespace {
constexpr std::uint32_t pack(std::size_t place, const WaitQueue::Waiter& waiter) {
  return static_cast<std::uint32_t>(place + 1) << 16 | std::min<std::uint32_t>(waiter.signals, 0x7fff) << 1 |
         (waiter.broadcast ? 1u : 0u);
}
} // namespace

WaitQueue StepModel::queue(Cut cut, ModelState state, std::uint32_t condition) const {
  std::vector<std::pair<std::uint32_t, WaitQueue::Waiter>> waiters; // with their places
  for (ThreadNumber t = 0; t < steps_.size(); ++t) {
    if (wait_slot_[t] == kNone || waits_on_[t][cut[t]] != condition) continue;
    const std::uint32_t packed = get(state, wait_slot_[t]);
    if (packed != 0) waiters.push_back({packed >> 16, {t, (packed & 0xffff) >> 1, (packed & 1) != 0}});
  }
  std::ranges::sort(waiters, {}, [](const auto& waiter) { return waiter.first; });
  WaitQueue out;
  for (const auto& [place, waiter] : waiters) out.restore(waiter);
  return out;
}

bool StepModel::counts_allow(Cut cut, ModelState state, ThreadNumber thread, const Operation& o) const {
  if (o.kind == OperationKind::WakeUp) return queue(cut, state, o.object).may_wake(thread);
  if (o.kind != OperationKind::Take) return true;
  std::uint64_t count = computation_.semaphores[o.object].first_count;
  for (const Counts& own : counts_[o.object]) {
    const auto done = [&](const std::vector<Count>& steps) {
      return static_cast<std::uint64_t>(std::ranges::upper_bound(steps, cut[own.thread]) - steps.begin());
    };
    count += done(own.posts) - done(own.takes);
  }
  return count > 0;
}

// `cut` is the one before the step.
void StepModel::follow_queue(Cut cut, MutableModelState state, ThreadNumber thread, const Operation& o) const {
  WaitQueue after = queue(cut, state, o.object);
  switch (o.kind) {
  case OperationKind::WaitBegin: after.wait(thread); break;
  case OperationKind::WakeUp: after.wake(thread, true); break;
  case OperationKind::WakeAnyway: after.wake(thread, false); break;
  case OperationKind::Signal: after.signal(); break;
  default: after.broadcast(); break;
  }
  if (o.kind == OperationKind::WakeUp || o.kind == OperationKind::WakeAnyway) set(state, wait_slot_[thread], 0);
  for (std::size_t i = 0; i < after.waiters().size(); ++i)
    set(state, wait_slot_[after.waiters()[i].thread], pack(i, after.waiters()[i]));
}

// Values that monitors look at must be as they were.
void StepModel::follow_taint(const Relevance& relevance) {
  const StepDependence& dependence = computation_.dependence;
  std::vector<bool> visible(trace_.events.size(), false);
  for (const EventIndex event : relevance.events) visible[event] = true;
  std::vector<TaintAct> acts(acts_.size());
  for (std::size_t a = 0; a < acts_.size(); ++a) {
    const Block& block = blocks_.blocks[acts_[a].block];
    TaintAct& act = acts[a];
    act.thread = block.thread;
    act.first_event = blocks_.events_of(block).front();
    act.step = block.begins;
    for (const std::uint32_t event : blocks_.events_of(block)) {
      if (!visible[event]) continue;
      const auto value = dependence.of(dependence.value_of_event[event]);
      act.looked_at.insert(act.looked_at.end(), value.begin(), value.end());
    }
  }
  taint_ = std::make_unique<TaintBits>(computation_, acts);
}

bool StepModel::sees_something_else(const Act& act, ModelState state) const {
  std::size_t read = 0;
  for (const Operation& o : act.operations)
    if (o.kind == OperationKind::Read && (get(state, slot_[o.object]) != act.saw[read++] || o.value == kUnknownValue))
      return true;
  return false;
}

void StepModel::begin(MutableModelState state) const {
  const bool values = rule_ == ReadRule::SameValue || rule_ == ReadRule::Free;
  for (std::size_t l = 0; l < slot_.size(); ++l)
    if (slot_[l] != kNone) set(state, slot_[l], values ? computation_.locations[l].initial : 0);
}

bool StepModel::enabled(Cut cut, ModelState state, ThreadNumber thread) const {
  const std::uint32_t a = act_of_[thread][cut[thread]];
  if (a == kNone) return true; // its block has begun
  const Act& act = acts_[a];
  if (act.never) return false;
  for (const Need& need : act.needs)
    if (need.thread != thread && cut[need.thread] < need.count) return false;
  std::size_t read = 0;
  for (const Operation& o : act.operations) {
    if (!locks_allow(cut, thread, o) || !holds_allow(cut, thread, o) || !counts_allow(cut, state, thread, o))
      return false;
    if (o.kind != OperationKind::Read) continue;
    const std::uint32_t saw = act.saw[read++];
    const bool bound = rule_ == ReadRule::SameWriter || rule_ == ReadRule::SameValue;
    if (bound && get(state, slot_[o.object]) != saw) return false;
  }
  return !taint_ || taint_->allows(a, sees_something_else(act, state), state.subspan(location_words()));
}

bool StepModel::locks_allow(Cut cut, ThreadNumber thread, const Operation& o) const {
  const bool takes = o.kind == OperationKind::Acquire || o.kind == OperationKind::AcquireShared;
  if (!takes && o.kind != OperationKind::TryFailed) return true;
  const bool only_exclusive = o.kind == OperationKind::AcquireShared || (!takes && o.value == 1);
  for (ThreadNumber u = 0; u < steps_.size(); ++u) {
    if (u == thread || held_[u].empty()) continue;
    for (const Held& held : held_[u][cut[u]])
      if (held.lock == o.object && (held.exclusive || !only_exclusive)) return !takes;
  }
  return takes;
}

bool StepModel::holds_allow(Cut cut, ThreadNumber thread, const Operation& o) const {
  if (o.kind != OperationKind::Read && o.kind != OperationKind::Write) return true;
  for (const Interval& held : intervals_[o.object])
    if (held.thread != thread && cut[held.thread] > held.after && cut[held.thread] <= held.until &&
        (held.write || o.kind == OperationKind::Write))
      return false;
  return true;
}

bool StepModel::read_later(Cut cut, std::uint32_t location) const {
  for (const Need& last : last_reads_[location])
    if (cut[last.thread] < last.count) return true;
  return false;
}

void StepModel::advance(Cut cut, MutableModelState state, ThreadNumber thread) const {
  const std::uint32_t a = act_of_[thread][cut[thread]];
  if (a == kNone || state.empty()) return;
  const Act& act = acts_[a];
  const bool taints = taint_ && taint_->advance(a, sees_something_else(act, state), state.subspan(location_words()));
  std::size_t write = 0;
  for (const Operation& o : act.operations) {
    if (is_of_condition(o.kind)) follow_queue(cut, state, thread, o);
    if (o.kind != OperationKind::Read && o.kind != OperationKind::Write) continue;
    const std::uint32_t left = o.kind == OperationKind::Write ? act.leaves[write++] : 0;
    if (slot_[o.object] == kNone) continue;
    if (o.kind == OperationKind::Write) set(state, slot_[o.object], taints ? kTainted : left);
  }
  // A value that will not be read makes no difference, so it is zero in every node.
  std::vector<Count> after(cut.begin(), cut.end());
  ++after[thread];
  for (const Operation& o : act.operations)
    if ((o.kind == OperationKind::Read || o.kind == OperationKind::Write) && slot_[o.object] != kNone &&
        !read_later(after, o.object))
      set(state, slot_[o.object], 0);
}

// Events that no other thread can notice happen as late as possible: directly before the next step.
std::vector<EventIndex> StepModel::run_along(std::span<const EventIndex> path) const {
  absl::flat_hash_map<EventIndex, std::uint32_t> block_of; // of the first step of each block
  std::vector<std::vector<std::uint32_t>> of_thread(steps_.size());
  for (std::uint32_t b = 0; b < blocks_.blocks.size(); ++b) {
    of_thread[blocks_.blocks[b].thread].push_back(b);
    if (first_step_[b] != kNone) block_of[steps_[blocks_.blocks[b].thread][first_step_[b]].event] = b;
  }
  std::vector<std::size_t> done(steps_.size(), 0); // blocks, by thread
  std::vector<EventIndex> out;
  const auto emit = [&](ThreadNumber t) {
    const Block& block = blocks_.blocks[of_thread[t][done[t]++]];
    const auto events = blocks_.events_of(block);
    out.insert(out.end(), events.begin(), events.end());
  };
  for (const EventIndex event : path) {
    const auto found = block_of.find(event);
    if (found == block_of.end()) continue; // inside a block
    const std::uint32_t b = found->second;
    const Block& block = blocks_.blocks[b];
    const bool from_outside = block.begins != kNoStep && (computation_.steps[block.begins].flags & kExternalRead) != 0;
    if (from_outside)
      for (ThreadNumber t = 0; t < steps_.size(); ++t)
        while (done[t] < of_thread[t].size() && of_thread[t][done[t]] < b &&
               first_step_[of_thread[t][done[t]]] == kNone)
          emit(t);
    while (done[block.thread] < of_thread[block.thread].size() && of_thread[block.thread][done[block.thread]] <= b)
      emit(block.thread);
  }
  return out;
}

std::string never_released(const Computation& computation) {
  std::vector<std::int64_t> holders(computation.locks.size(), 0);
  for (const Operation& o : computation.operations) {
    if (o.kind == OperationKind::Acquire || o.kind == OperationKind::AcquireShared) ++holders[o.object];
    if (o.kind == OperationKind::Release || o.kind == OperationKind::ReleaseShared) --holders[o.object];
  }
  for (const std::int64_t count : holders)
    if (count > 0)
      return "The model whb needs a trace in which every lock that is taken is released again: with its release "
             "missing, "
             "the taking of a lock could move away from what it protects. Use whb-locks.";
  return {};
}

} // namespace sooth::causality
