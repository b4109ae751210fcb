// The order that every run keeps, by the creation and the joining of threads alone.
//
// Question: does everything that thread a did in one stretch happen before everything that thread b
//   did in another one, in every run?
//
//     main: x = 1 ; fork T ;          join T ; x = 3        x = 1, x = 2, x = 3 always come in this
//     T:                     x = 2                          order
//
// A thread's life is cut into *epochs*: a new one begins after each thread that it creates and
// after each one that it joins. A path from a to b proves the order, if it climbs from joined
// threads to those that joined them, and then descends from creators to created threads. Paths that
// go down and up again are not searched: a missed order only costs time, because the sieve then
// keeps more.
// Cost: two moments for each thread; a query climbs at most kMaxSteps joins and as many creations.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace sooth::survey {

struct Moment {
  std::uint32_t thread = 0;
  std::uint32_t epoch = 0;
  friend auto operator<=>(const Moment&, const Moment&) = default;
};

class StrongOrder {
public:
  // Takes the events of each thread in their order, one thread after the other. Returns whether a
  // new epoch begins behind this one.
  bool see(const trace::Event& e);
  // The thread's current epoch, while its events are being taken.
  std::uint32_t epoch(std::uint32_t thread) const { return thread < lives_.size() ? lives_[thread].epoch : 0; }

  // Whether, in every run, everything that a.thread did up to the end of a.epoch comes before
  // everything that b.thread does from the beginning of b.epoch on. For two different threads,
  // after all events were taken.
  bool before(Moment a, Moment b) const;
  // The thread that joined a thread had created it, and threads are not nested too deeply. Then
  // before() misses no order: a path that goes down and up again comes back to the thread that it
  // left.
  bool is_tree() const;

private:
  static constexpr unsigned kMaxSteps = 64;
  static constexpr std::uint32_t kNobody = 0xffffffff;
  struct Life {
    std::uint32_t epoch = 0;
    Moment created{kNobody, 0}; // the creator, and its epoch that ends with the fork
    Moment joined{kNobody, 0};  // the joiner, and its epoch that begins with the join
    bool created_twice = false; // only in a trace made by hand; then nothing is known
  };
  Life& life(std::uint32_t thread);

  std::vector<Life> lives_;
};

} // namespace sooth::survey
