// What threads know of each other, for one pass over a trace: clocks that are shared until they
// change.
//
//     T1 writes x, y and z without synchronisation      three moments, one clock
//     T1 acquires m, and learns of T2's release         a new clock
//
// Question: has this thread come after that moment of another thread?
// Source: vector clocks and epochs (FastTrack). A moment is a thread, its count then, and what it
//   knew of the others.
// Where we differ: a thread's clock is written only when the thread learns something; all moments
//   in between share it. So a moment costs O(1), and so does learning what is already known: a
//   thread that knows of a moment knows everything that was known there.
// Cost: O(threads) when a thread learns something new. Memory: a clock for each different knowledge
//   that some moment still has. Beyond kMostInRows threads, clocks share their common parts
//   (base/shared_counts.h): then both grow with what was learnt.
#pragma once

#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "base/shared_counts.h"

namespace sooth::predict {

class ClockPool {
public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  explicit ClockPool(std::uint32_t threads);

  struct Moment {
    std::uint32_t thread = 0;
    std::uint32_t count = 0;     // 0: no moment
    std::uint32_t clock = kNone; // what the thread knew of the others
  };
  // The thread's next count; nothing else is to be learnt from it.
  std::uint32_t tick(std::uint32_t thread) { return counts_[thread]++; }
  // Sets `moment` to the thread's next one.
  void mark(Moment& moment, std::uint32_t thread);
  void forget(Moment& moment);

  // How far the thread has come after another one.
  std::uint32_t knows(std::uint32_t thread, std::uint32_t other) const {
    if (is_wide()) return wide_[current_[thread]][other];
    return clocks_[std::size_t{current_[thread]} * width_ + other];
  }
  bool covers(std::uint32_t thread, const Moment& moment) const {
    return moment.count == 0 || moment.thread == thread || knows(thread, moment.thread) >= moment.count;
  }
  void learn(std::uint32_t thread, const Moment& moment) {
    if (!covers(thread, moment)) join(thread, moment.clock, moment.thread, moment.count);
  }
  // Everything that the clock says; it belongs to no thread.
  void learn_all(std::uint32_t thread, std::uint32_t clock) { join(thread, clock, thread, 0); }

  // A clock that belongs to the caller, who adds moments to it. To be given back with drop().
  std::uint32_t make();
  void add(std::uint32_t clock, const Moment& moment);
  void drop(std::uint32_t clock);

private:
  std::uint32_t take(); // whatever it says
  void join(std::uint32_t thread, std::uint32_t clock, std::uint32_t other, std::uint32_t count);
  std::uint32_t* at(std::uint32_t clock) { return clocks_.data() + std::size_t{clock} * width_; }

  static constexpr std::uint32_t kMostInRows = 64;
  bool is_wide() const { return width_ > kMostInRows; }
  void raise_all(std::uint32_t clock, std::uint32_t by); // a different one
  void raise_one(std::uint32_t clock, std::uint32_t thread, std::uint32_t count);

  const std::uint32_t width_;
  std::vector<std::uint32_t> clocks_; // `width_` counts each
  std::vector<SharedCounts> wide_;    // the same, if there are many threads
  // By clock of a caller: what was added last. The next thread knows nearly the same.
  absl::flat_hash_map<std::uint32_t, SharedCounts> added_;
  std::vector<std::uint32_t> users_;   // by clock
  std::vector<std::uint32_t> unused_;  // clocks
  std::vector<std::uint32_t> counts_;  // by thread: its next moment's
  std::vector<std::uint32_t> current_; // by thread
};

} // namespace sooth::predict
