// What comes before what in every run: thread order and the orders of the computation, nothing else.
//
// Question: does one step come before another one, whatever the schedule?
// It drops candidates that creation, joining, barriers and the like order, before a Feasibility is asked: every
// "yes" is certain, a "no" says nothing. Orders that end in a free are left out, since questions about memory waive them.
// Cost: linear in steps and orders, times the threads; a binary search for each question.
#pragma once

#include <cstdint>
#include <vector>

#include "causality/computation/clock.h"
#include "causality/computation/computation.h"
#include "trace/trace.h"

namespace sooth::predict {

class MustOrder {
public:
  MustOrder(const trace::Trace& trace, const causality::Computation& computation);

  // `first` happens before `second`, or is it.
  bool precedes(causality::StepId first, causality::StepId second) const;

  // No run has both threads standing directly before these steps: one of them comes before something that the other
  // one's thread has done by then.
  bool excludes(causality::StepId a, causality::StepId b) const;

private:
  struct Change { // from this place on, the thread comes after `clock`
    std::uint32_t place = 0;
    causality::SharedClock clock; // component t: so many steps of thread t
  };
  const causality::Clock* clock_at(std::uint32_t thread, std::uint32_t place) const;

  const causality::Computation& computation_;
  std::vector<std::vector<Change>> changes_; // by thread, ascending places
};

} // namespace sooth::predict
