// Happens-before of the C++ memory model, in the recorded run.
//
//     T1 write data = 1
//     T1 atomic-write flag = 1, release       begins a release sequence
//     T3 atomic-rmw   flag, relaxed           continues it
//     T2 atomic-read  flag, acquire           synchronises with T1's store
//     T2 read  data = 1                       happens after T1's write
//
// Question: which of the events so far happen before the next event of a thread?
// Source: [intro.races], [atomics.order] and [atomics.fences] of C++20: a release operation
//   synchronises with an acquire operation that reads from its release sequence; fences do so
//   through the atomic operations around them; consume counts as acquire. A release sequence is the
//   store and the read-modify-writes that follow it; another store, even of the same thread, ends
//   it.
// Where we differ: the trace's order of an atomic's writes is its modification order, and a read
//   sees the last one, so no choice is left. Primitives outside of the C++ standard (semaphores,
//   barriers, once, conditions, futexes, annotations) order more rather than less: a signal is
//   before the wake that follows it, every post before every later wait. A signal handler, whose
//   sender was not recorded, comes after everything. So does an atomic read of a value that no
//   recorded event wrote: another thread may have written it, in code without hooks.
// Cost: linear; a synchronisation costs as much as its thread learns by it (base/shared_counts.h).
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include "base/shared_counts.h"
#include "trace/trace.h"

namespace sooth::predict {

class SynchronisesWith {
public:
  explicit SynchronisesWith(const trace::Trace& trace);

  // For every event in the trace's order: `arrive`, then whatever asks, then `depart`.
  void arrive(const trace::Event& e); // what the event comes after
  void depart(const trace::Event& e); // what may come after the event

  // What happens before the thread's event that has arrived. Component t counts pieces of thread t,
  // each up to one of its releases; the thread's own component is the piece it is in.
  const SharedCounts& clock(std::uint32_t thread) const { return clocks_[thread]; }
  SharedCounts::Count piece(std::uint32_t thread) const { return clocks_[thread][thread]; }

private:
  struct Lock {
    SharedCounts released; // by its last exclusive holder
    SharedCounts shared;   // by all its shared holders since
  };
  struct AtomicCell { // what an acquire that reads these bytes comes after
    std::uint64_t address = 0;
    std::uint32_t size = 0;
    SharedCounts released;
  };
  struct Arriving; // visitors of effects.h
  struct Departing;
  struct Barrier {
    std::uint64_t threads = 0; // of one round; 0: unknown
    std::uint64_t arrived = 0; // in this round
    std::uint64_t round = 0;
  };

  void come_after(std::uint32_t thread, const SharedCounts& clock);
  void come_after_everything(std::uint32_t thread);
  void acquire_lock(std::uint32_t thread, std::uint64_t lock, bool shared);
  void release_lock(std::uint32_t thread, std::uint64_t lock, bool shared);
  void come_to_barrier(const trace::Event& e);
  void leave_barrier(const trace::Event& e);
  void publish(std::uint32_t thread, std::uint64_t tag);
  void acquire_tag(std::uint32_t thread, std::uint64_t tag);
  void read_atomic(const trace::Event& e);
  void write_atomic(const trace::Event& e);
  void found_from_outside(const trace::Event& e); // an atomic read
  void make_cells(const trace::Event& e);
  // The thread's clock, to be kept; what the thread does from now on is not in it.
  SharedCounts snapshot(std::uint32_t thread);

  template <typename Visit>
  void each_cell(const trace::Event& e, Visit&& visit);

  std::vector<SharedCounts> clocks_;        // by thread
  std::vector<SharedCounts> fence_release_; // by thread: at its last release fence
  std::vector<SharedCounts> fence_acquire_; // by thread: what its relaxed reads saw, for an acquire fence
  std::vector<SharedCounts> forked_;        // by thread: at its fork
  std::vector<SharedCounts> ended_;         // by thread
  std::vector<SharedCounts> cancelled_;     // by thread: at the request, until its next event
  std::vector<bool> began_;                 // by thread: it has done something
  std::vector<bool> from_outside_;          // by thread: its last event is an external write
  absl::flat_hash_map<std::uint64_t, Lock> locks_;
  absl::flat_hash_map<std::uint64_t, SharedCounts> tags_;                          // all that only adds up, by address
  absl::flat_hash_map<std::uint64_t, absl::InlinedVector<AtomicCell, 1>> atomics_; // by granule
  absl::flat_hash_map<std::uint64_t, Barrier> barriers_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, SharedCounts> rounds_; // by barrier and round
  std::vector<absl::flat_hash_map<std::uint64_t, std::uint64_t>>
      round_of_; // by thread: the round it arrived in, by barrier
};

} // namespace sooth::predict
