// What comes before what in every run: thread order and the orders of the computation, nothing
// else.
//
//     T1 write x, T1 fork T2, T2 write x      T1's write comes before T2's in every run
//     T1 write y, T2 write y, after the fork  not ordered here; a Feasibility must be asked
//
// Question: does one step come before another one, whatever the schedule? Engines drop candidates
//   that creation, joining, barriers and the like order, before they ask a Feasibility. Every "yes"
//   is certain, a "no" says nothing. Orders that end in a free are left out, since questions about
//   memory waive them.
// Cost: linear in steps and orders, times the logarithm of the chains of threads; a binary search
//   for each question.
#pragma once

#include <cstdint>
#include <vector>

#include "base/shared_counts.h"
#include "causality/computation/computation.h"
#include "trace/trace.h"

namespace sooth::predict {

class MustOrder {
public:
  // Which orders of the computation count: a question may waive all but those of creating and
  // joining threads.
  enum class Of : std::uint8_t { Everything, CreationAndJoining };
  MustOrder(const trace::Trace& trace, const causality::Computation& computation, Of orders = Of::Everything);

  // `first` happens before `second`, or is it.
  bool precedes(causality::StepId first, causality::StepId second) const;

  // No run has both threads standing directly before these steps: one of them comes before
  // something that the other one's thread has done by then.
  bool excludes(causality::StepId a, causality::StepId b) const;

  // Threads with the same number are in a chain (thread_chains.h).
  std::uint32_t chain(std::uint32_t thread) const { return chain_[thread]; }

private:
  struct Change { // from this place on, the thread comes after `clock`
    std::uint32_t place = 0;
    SharedCounts clock; // component c: so many steps of the threads of chain c, one after the other
  };
  const SharedCounts* clock_at(std::uint32_t thread, std::uint32_t place) const;

  // The step's place among those of its chain.
  std::uint32_t place(const causality::Step& step) const { return offset_[step.thread] + step.place; }

  const causality::Computation& computation_;
  const std::vector<std::uint32_t> chain_;   // by thread
  std::vector<std::uint32_t> offset_;        // by thread: so many steps do those before it in its chain have
  std::vector<std::vector<Change>> changes_; // by thread, ascending places
};

} // namespace sooth::predict
