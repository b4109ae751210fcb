// From a partial order to a run, or to the reason why it does not say enough yet.
//
//     T1: write x = 1, write x = 2      T2: read x = 1, which sees T1's first write
//     T1's second write is ready after its first, but waits: it would spoil the value that T2 still
//     has to read. The schedule: write x = 1, read x = 1, write x = 2.
//
//     T2: read x = 1, and both T1 and T3 write 1; no writer is chosen, and the read is the only
//     ready step. The schedule cannot go on. It returns the options: the read sees T1's write, or
//     it sees T3's. One of them holds in every run.
//
// Question: is there an obvious run among those that the constraints allow? If not: which two
//   things have to be put into an order, or which read needs a writer?
// Source: greedy list scheduling in the observed order. A step waits while it would spoil something
//   that is decided: a write that a read still has to see, a lock whose section will not end in
//   this run.
// Semaphores and conditions: where a wait is stuck, those that were served before it have used up
//   all posts or signals that came before it. So in every run another one comes before it, or one
//   of those comes behind it; or, on a condition, a signal that came too early for one of them
//   comes later (counted.h).
// Why the obstacle decides: the step that stands first in the order is ready, so it waits only for
//   something that the constraints leave open. In every run one of the options holds.
// Cost: steps of the run, times the threads for each that had to wait.
#pragma once

#include <cstdint>
#include <vector>

#include "predict/question/constraints.h"

namespace sooth::predict {

// One way to go on.
struct Option {
  enum Kind : std::uint8_t { Order, Writer, Section } kind = Order;
  std::uint32_t first = 0;  // Order: a step. Writer, Section: the operation
  std::uint32_t second = 0; // Order: the step behind it. Writer: a step or kBaseWriter. Section: its number
};

// Why one of the options holds: true as long as these steps are in the run and, if the premise is
// about a read with a certain writer, the read sees it.
struct Premise {
  StepId first = kNoStep;
  StepId second = kNoStep;          // kNoStep: there is only one step
  std::uint32_t operation = 0;      // the read
  StepId writer = kUndecidedWriter; // whom it sees; kUndecidedWriter: does not matter
  bool all_writers = false;         // the options are all the writes that the read may see
  std::vector<StepId> others = {};  // must be in the run as well
};

struct Schedule {
  bool complete = false;
  std::vector<StepId> run; // complete: all steps of the window's part of the run
  bool decides = false;    // otherwise: one of these holds in every run; the likely one first
  std::vector<Option> options;
  Premise premise;
};

Schedule schedule(const Constraints& constraints);

} // namespace sooth::predict
