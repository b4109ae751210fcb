// A computation prepared for questions under one model: accesses by location, critical sections by
// lock, needs by step.
//
//     1 T1 write x = 1, 2 T2 read x = 1, 3 T2 write x = 2
//     hb: 3 needs 1 and 2.   whb: 2 needs 1; 3 needs only its own thread.   maximal: 2 needs a 1
//
// Question: which steps must be in a run before a given step, whatever else is in it; and where
//   else could its reads find their values?
// Source: maximal models: Theorem 2 (hb), Theorem 4 (hb-locks), Theorems 3, 5 and 6 (whb), Theorem
//   7 (maximal).
//
// The models differ here and only here:
//     hb          a step needs all earlier conflicting accesses; locks are written, by shared
//                 holders read
//     hb-locks    a step needs all earlier conflicting accesses; locks only exclude
//     whb(-locks) a read needs the write it saw, and sees that one; locks exclude
//     maximal     a read sees its value, from any write; locks exclude
//     full        as maximal, but a read that influences no decision may return any value
//
// Cost: time and memory in proportion to the computation's operations.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "causality/computation/computation.h"
#include "causality/computation/wait_queue.h"
#include "predict/question/model_rules.h"
#include "witness/finding.h"

namespace sooth::predict {

using causality::Computation;
using causality::kNoStep;
using causality::Operation;
using causality::OperationKind;
using causality::StepId;

// A time during which a thread has a lock, or holds a location (docs/trace_format.md, rule 1).
struct Section {
  StepId begin = kNoStep;
  StepId end = kNoStep; // none if it is never given up
  std::uint32_t thread = 0;
  bool exclusive = true; // locks: not shared; holds: others may not even read
};

struct Access {
  StepId step = kNoStep;
  std::uint32_t value = 0;
  std::uint32_t operation = 0; // index into Computation::operations
};

// The accesses of one location by one thread, in its order.
struct ThreadAccesses {
  std::uint32_t thread = 0;
  std::span<const Access> reads;
  std::span<const Access> writes;

  StepId first() const {
    return std::min(reads.empty() ? kNoStep : reads.front().step, writes.empty() ? kNoStep : writes.front().step);
  }
  StepId last() const {
    return std::max(reads.empty() ? 0 : reads.back().step, writes.empty() ? 0 : writes.back().step);
  }
};

struct LocationIndex {
  std::span<const ThreadAccesses> threads; // by their first accesses
  std::span<const StepId> threads_until;   // by thread: the last access of it and of those before it
  std::span<const Access> by_value;        // all writes, by value, then in the observed order
  std::span<const Section> holds;          // in the observed order
  std::span<const StepId> holds_until;     // by hold: the last end of it and of those before it

  // The first hold that is not over before the step; what stands before it is.
  std::size_t first_hold(StepId step) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(holds_until, step) - holds_until.begin());
  }

  // The threads that may access it from `begin` to `end` (exclusive); the others do not. Few, if
  // threads come and go.
  std::span<const ThreadAccesses> threads_between(StepId begin, StepId end) const {
    const auto first = std::ranges::lower_bound(threads_until, begin) - threads_until.begin();
    const auto last = std::ranges::lower_bound(threads.begin() + first, threads.end(), end, {}, &ThreadAccesses::first);
    return {threads.begin() + first, last};
  }
};

// The sections of one lock by one thread, as numbers into Index::locks, in its order.
struct ThreadSections {
  std::uint32_t thread = 0;
  std::vector<std::uint32_t> all;
  std::vector<std::uint32_t> exclusive;
};

// The uses of one semaphore (posts, waits) or condition (signals, wake-ups by a signal) by one
// thread, in its order.
struct ThreadUses {
  std::uint32_t thread = 0;
  std::vector<StepId> gives;
  std::vector<StepId> takes;
  struct Wait { // on a condition
    StepId begin = kNoStep;
    StepId end = kNoStep;
    std::uint32_t use = 0;            // ConditionIndex::uses
    std::uint32_t outer = 0xffffffff; // the wait that a handler interrupted, among these
  };
  std::vector<Wait> waits = {};
};

struct ConditionIndex {
  struct Use {
    StepId step = kNoStep;
    OperationKind kind = OperationKind::Signal;
    std::uint32_t idle = 0; // the first use of the time in which somebody waits: before it nobody did
  };
  std::vector<Use> uses; // in the observed order
  std::vector<ThreadUses> threads;
};

// The accesses and holds of all locations. Most locations have few of them, so each kind stands in
// one array for all locations, and a location has its parts of these arrays.
class LocationIndexes {
public:
  explicit LocationIndexes(const Computation& computation);
  LocationIndexes(const LocationIndexes&) = delete;
  LocationIndexes& operator=(const LocationIndexes&) = delete;

  const LocationIndex& operator[](std::size_t location) const { return locations_[location]; }
  std::size_t size() const { return locations_.size(); }

private:
  void add_accesses(const Computation& computation);
  void add_holds(const Computation& computation);

  std::vector<LocationIndex> locations_;
  std::vector<Access> accesses_, by_value_;
  std::vector<ThreadAccesses> threads_;
  std::vector<Section> holds_;
  std::vector<StepId> threads_until_, holds_until_;
};

struct TryFailed {
  StepId step = kNoStep;
  std::uint32_t operation = 0;
};

// An operation on a condition.
void apply_use(causality::WaitQueue& queue, OperationKind kind, std::uint32_t thread);

class Index {
public:
  Index(const Computation& computation, witness::Model model);

  const Computation& computation;
  const witness::Model model;

  // Steps that the model wants before this one, besides the computation's orders and thread order.
  // They include the writers of reads, unless the model is maximal.
  std::span<const StepId> needs(StepId step) const {
    if (needs_.empty()) return {};
    return std::span(needs_).subspan(need_begin_[step], need_begin_[step + 1] - need_begin_[step]);
  }
  // The computation's orders that end in this step.
  std::span<const causality::Order> orders(StepId step) const {
    return std::span(all_orders()).subspan(order_begin_[step], order_begin_[step + 1] - order_begin_[step]);
  }
  // Of a read operation: the step that it saw; kNoStep for the initial value.
  StepId writer(std::size_t operation) const { return writer_[operation]; }
  // Of an acquire (shared or not): its section. Of a try that failed: the section it ran into. Of a
  // wake-up: the step in which its thread began to wait.
  std::uint32_t section(std::size_t operation) const { return section_[operation]; }

  // A read sees one certain write. Otherwise it sees a value, from any write.
  bool reads_identity() const { return rules().reads < ReadsOfModel::SameValue; }
  // Only reads on which something depends that decides are bound to their values
  // (causality/dependence/step_dependence.h).
  bool reads_freely() const { return rules().reads == ReadsOfModel::Free && computation.dependence.known; }
  bool orders_conflicts() const { return rules().reads == ReadsOfModel::ObservedOrder; }
  // Locks, and with them semaphores and conditions, are used as they were recorded.
  bool orders_locks() const { return rules().locks == LocksOfModel::Ordered; }
  const ModelRules& rules() const { return rules_of(model); }

  // By thread: so many of its steps may be in a predicted run. If the model wants a read to see a
  // certain write, this also ends at a read that the order of steps does not explain: the observed
  // order separated a glued block (docs/trace_format.md, rule 3), and the last write before it by
  // steps is not the one that it saw.
  std::vector<std::uint32_t> trusted;
  const LocationIndexes locations;
  std::vector<std::vector<Section>> locks;               // by lock, in the observed order of their begins
  std::vector<std::vector<ThreadSections>> lock_threads; // by lock
  std::vector<std::vector<TryFailed>> tries;             // by lock
  std::vector<std::vector<ThreadUses>> semaphores;       // by semaphore
  std::vector<ConditionIndex> conditions;                // by condition
  std::vector<StepId> pinned;                            // steps with kExternalRead
  bool lock_never_released = false;

  // The writes that give the location this value.
  std::span<const Access> writes_of(std::uint32_t location, std::uint32_t value) const;

  // ... by steps from `begin` to `end` (exclusive).
  std::span<const Access> writes_of(std::uint32_t location, std::uint32_t value, StepId begin, StepId end) const;

  // The state after each thread t has made `cut[t]` steps, as in the observed run: the location's
  // last write, and the open sections of a lock.
  Access last_write(std::uint32_t location, std::span<const std::uint32_t> cut) const;
  void open_sections(std::uint32_t lock, std::span<const std::uint32_t> cut, std::vector<std::uint32_t>& out) const;
  // The same for a semaphore's count, and for who waits on a condition.
  std::uint64_t count(std::uint32_t semaphore, std::span<const std::uint32_t> cut) const;
  causality::WaitQueue waiting(std::uint32_t condition, std::span<const std::uint32_t> cut) const;
  // How many of these steps of the thread are among its first `place`.
  std::size_t among(const std::vector<StepId>& own, std::uint32_t thread, std::uint32_t place) const {
    return place == 0 ? 0
                      : static_cast<std::size_t>(std::ranges::lower_bound(own, step_at(thread, place)) - own.begin());
  }
  // The first step behind so many of the thread's; kNoStep if there is none.
  StepId step_at(std::uint32_t thread, std::uint32_t place) const {
    const std::vector<StepId>& own = computation.threads[thread].steps;
    return place < own.size() ? own[place] : kNoStep;
  }

  // How many of the thread's steps stand before `step` in the observed order.
  std::uint32_t steps_before(std::uint32_t thread, StepId step) const;

private:
  const std::vector<causality::Order>& all_orders() const {
    return orders_locks() ? computation.recorded_orders() : computation.orders;
  }
  class Collector;

  std::vector<StepId> needs_;
  std::vector<std::uint64_t> need_begin_; // by step; empty if there are no needs
  std::vector<std::uint32_t> order_begin_;
  std::vector<StepId> writer_;
  std::vector<std::uint32_t> section_;
};

} // namespace sooth::predict
