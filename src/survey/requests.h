// The locks of each thread, and which threads may wait for which.
//
// Question: can threads wait for each other in a circle in any run, or did the recorded run misuse
//   a lock? The answer may be yes although it is no: this is for programs that are plainly in
//   order.
//
//     T1 acquire a, acquire b         a -> b: a holder of a may wait for b
//     T2 acquire b, acquire a         b -> a: a circle
//
// The nodes are locks, one-time initialisations and threads. An arrow x -> y says that some thread
// that has x requests y. A thread has itself until it ends; a join requests the thread. If threads
// wait for each other in a circle, each of them has what the one before it requests, so the arrows
// form a circle, too. Without a circle of arrows, no run has such a deadlock.
// Everything else that blocks (semaphores, barriers, conditions, futexes) has no owner, so a trace
// that has it may deadlock.
// Source: lock graphs (Goodlock). predict/deadlocks/ decides the cases that this leaves open.
// Cost: a few lookups for each acquire and release.
#pragma once

#include <cstdint>
#include <vector>

#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "survey/lock_sets.h"
#include "trace/trace.h"

namespace sooth::survey {

class Requests {
public:
  // Takes the events of each thread in their order, one thread after the other; not accesses.
  // Returns the lock that the event takes or gives up, or 0.
  std::uint64_t see(const trace::Event& e, LockSets& sets);
  void begin_thread(std::uint32_t thread);
  void finish(); // after the last thread

  std::uint32_t thread() const { return thread_; } // the present one
  // The number of the locks that it holds.
  LockSets::Id held() const { return number_; }
  template <typename Visit>
  void each_held(Visit visit) const {
    for (const Held& held : held_) visit(held.lock);
  }
  // It has kept one of these locks, which it held after so many changes of its locks; or it has
  // one of them again, exclusively.
  std::uint32_t changes() const { return changes_; }
  bool has_kept_one(const LockSets::Set& locks, std::uint32_t since) const {
    return may_have_kept_one(since) && still_has_one(locks, since);
  }
  // False: whatever it held then, it has given up since.
  bool may_have_kept_one(std::uint32_t since) const { return since >= oldest_; }
  bool has_one_again(const LockSets::Set& locks, std::uint32_t since) const;

  // After all events were taken.
  bool may_deadlock() const { return may_deadlock_ || has_circle(); }
  bool may_lose_wakeups() const { return waits_ || signals_; }
  bool may_misuse() const { return may_misuse_; }
  // Locks that the program misused, or whose memory a thread got once more after it had used them.
  const absl::flat_hash_set<std::uint64_t>& distrusted() const { return distrusted_; }

private:
  struct Held {
    std::uint64_t lock = 0;
    std::uint64_t type = 0;
    bool exclusive = false;
    bool type_unknown = false;
    unsigned depth = 0;
    std::uint32_t since = 0; // as changes()
  };
  using Node = std::uint64_t; // twice the address of a lock; 1 + twice the number of a thread

  bool still_has_one(const LockSets::Set& locks, std::uint32_t since) const;
  Held* holding(std::uint64_t lock);
  void misused(std::uint64_t lock);
  std::uint64_t take(const trace::Event& e, std::uint64_t lock, bool exclusive, LockSets& sets);
  std::uint64_t give(std::uint64_t lock, bool exclusive, const trace::Event* release, LockSets& sets);
  void destroy(const trace::Event& e);
  void region(const trace::Event& e);
  void request(Node wanted);
  void update(LockSets& sets);
  bool has_circle() const;

  // Of the present thread.
  std::uint32_t thread_ = 0;
  std::vector<Held> held_;
  LockSets::Id number_ = LockSets::kNone; // of these
  std::uint32_t changes_ = 0;
  std::uint32_t oldest_ = 0;                     // since when it has the lock that it has longest
  std::vector<std::uint64_t> initialising_;      // one-time initialisations that it is in
  absl::btree_set<std::uint64_t> used_;          // locks
  absl::flat_hash_set<std::uint64_t> destroyed_; // locks, not initialised since

  absl::flat_hash_set<std::uint64_t> distrusted_;
  absl::flat_hash_map<Node, absl::flat_hash_set<Node>> arrows_;
  std::size_t arrow_count_ = 0;
  bool may_deadlock_ = false, waits_ = false, signals_ = false, may_misuse_ = false;
};

} // namespace sooth::survey
