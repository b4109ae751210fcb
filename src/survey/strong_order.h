// The order that every run keeps, by the creation and the joining of threads alone.
//
// Question: did all that thread a did in some stretch happen before all that thread b did in another, in every run?
//
//     main: x = 1 ; fork T ;          join T ; x = 3        x = 1, x = 2, x = 3 are always in this order.
//     T:                     x = 2
//
// A thread's life is cut into *epochs*: a new one begins after each thread that it creates and after each one that it
// joins. A path from a to b that climbs from joined threads to those that joined them, and then descends from creators
// to created threads, proves the order. Paths that go down and up again are not looked for: to miss an order costs only
// time, because then more is kept.
// Cost: two moments for each thread; a question climbs at most kMaxSteps joins and as many creations.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace sooth::survey {

struct Moment {
  std::uint32_t thread = 0;
  std::uint32_t epoch = 0;
};

class StrongOrder {
public:
  // The events of each thread in their order; threads one after the other. Returns whether a new epoch begins behind it.
  bool see(const trace::Event& e);
  // The thread's present epoch, while its events are being seen.
  std::uint32_t epoch(std::uint32_t thread) const { return thread < lives_.size() ? lives_[thread].epoch : 0; }

  // Everything that a.thread did up to the end of a.epoch comes before everything that b.thread does from the beginning
  // of b.epoch on, in every run. For two different threads, once all events were seen.
  bool before(Moment a, Moment b) const;

private:
  static constexpr unsigned kMaxSteps = 64;
  static constexpr std::uint32_t kNobody = 0xffffffff;
  struct Life {
    std::uint32_t epoch = 0;
    Moment created{kNobody, 0}; // by whom, in the epoch that ends with it
    Moment joined{kNobody, 0};  // by whom, in the epoch that begins with it
    bool created_twice = false; // in a trace that was made by hand; then nothing is known
  };
  Life& life(std::uint32_t thread);

  std::vector<Life> lives_;
};

} // namespace sooth::survey
