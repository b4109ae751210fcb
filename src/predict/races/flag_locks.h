// Variables that a program uses as locks: spin locks, futexes and the like.
//
//     T1 exchange held: false -> true      takes it: nobody else sees `false` until
//     T1 write x
//     T1 store held = false                it is given back by the thread that took it
//     T2 exchange held: false -> true
//     T2 write x                           never beside T1's
//
// Question: which locations exclude like a lock, in every run, whatever the distance?
// Source: the invariant of a test-and-set lock. A location has one value that says *free*, and
//   - only an update that has read this value changes it: its thread is the holder then;
//   - only the holder writes the free value again; others may replace other values by others (a
//     futex's mark of waiting threads);
//   - other writes (the constructor's) have all uses of every other thread before or behind them,
//     and nobody holds it there.
//   So in every run at most one thread is between its update and its next write of the free value.
//   Values must be as they were: under `full`, what an update reads has to decide, and what is
//   written must not depend on anything that may differ.
// Where we differ: answers that need no search. The general one needs a decision for each section
//   between two threads, and there are thousands of these.
// Cost: two passes over the operations.
// Gives up: locations that are written in parts, or in steps with more than one value of them.
#pragma once

#include <cstdint>
#include <vector>

#include "causality/computation/computation.h"

namespace sooth::predict {

class MustOrder;

class FlagLocks {
public:
  FlagLocks() = default; // there are none
  // `reads_freely`: reads of which nothing depends may return anything (model full).
  FlagLocks(const causality::Computation& computation, const MustOrder& must, bool reads_freely);

  struct Change {
    causality::StepId step = causality::kNoStep;
    std::uint32_t location = 0;
    bool takes = false; // else it is given back
    friend bool operator==(const Change&, const Change&) = default;
  };
  // Ascending steps.
  const std::vector<Change>& changes() const { return changes_; }

private:
  std::vector<Change> changes_;
};

} // namespace sooth::predict
