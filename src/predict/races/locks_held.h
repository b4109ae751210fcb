// The locks that a thread holds when it stands before a step.
//
// Variables that are used as locks count, too (flag_locks.h).
//
// Two threads that hold the same lock, one of them exclusively, are never there at the same time,
// in any model: the oldest and cheapest reason why two accesses do not race (lock sets).
//
//     1 T1 acquire m
//     2 T1 write x        with {m}
//     3 T1 release m
//     4 T2 acquire m
//     5 T2 write x        with {m}: never beside 2
//     6 T2 release m
//     7 T2 write x        with {}: no lock separates it from 2
//
// Question: can these two steps never stand beside each other, because of a lock?
// Cost: one pass; the sets are kept once each.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "causality/computation/computation.h"
#include "predict/races/flag_locks.h"

namespace sooth::predict {

class LocksHeld {
public:
  LocksHeld(const causality::Computation& computation, const FlagLocks& flags);

  // Number of the set of locks that the step's thread has before it.
  std::uint32_t set(causality::StepId step) const { return set_of_step_[step]; }
  // Two threads cannot have these sets at the same time.
  bool sets_exclude(std::uint32_t a, std::uint32_t b) const;

private:
  struct Held {
    std::uint32_t lock = 0;
    bool exclusive = false;
    friend auto operator<=>(const Held&, const Held&) = default;
  };
  using Set = std::vector<Held>; // ascending
  std::vector<std::uint32_t> set_of_step_;
  std::vector<Set> sets_;
};

} // namespace sooth::predict
