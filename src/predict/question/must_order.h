// The order of steps that every run keeps.
//
//     T1 write x = 1, fork T2; T2 read x     the write comes before the read: T1 creates T2
//     T1 write y = 5; T1 lock, q = 7, unlock
//     T2 lock, read q = 7, unlock; read y    nobody else writes 7 to q. So in every run T2 reads q
//                                            behind T1's section, and y behind T1's write of it
//
// Question: does one step come before another one, whatever the schedule? Engines drop candidates
//   that are ordered so before they ask a Feasibility. Every "yes" is certain, a "no" says nothing.
// Source: vector clocks over what every run keeps; the values as in maximal models (a read happens
//   only where its value is), the locks as in the saturation of partial orders (constraints.h).
//
// `a` precedes `b` if every run that has `b` has `a` before it. The rules:
//   orders  of the computation: creation, joining, barriers and the like. Those that end in a free,
//           or in the destruction of a lock, are left out, since questions about memory waive them.
//   pins    a read of what no recorded event wrote comes behind all that was observed before it.
//   reads   a read comes behind one of the writes that it can see: so behind everything that all of
//           them come behind. It cannot see a write that comes behind it; nor one behind which
//           another value is written before the read. Of a thread's writes of the value, only the
//           first one that it can see counts: the others come behind that one.
//   locks   let `b` be inside of a critical section, or its beginning, and `a`, before it, inside
//           of another section of the same lock. Then that section ends before `b`.
// Each fact follows from facts that are known already, so that none rests on itself. A write may be
// behind the read in the observed run: whether it comes behind it in every run is asked of the
// facts of the pass before.
//
// In the model full, a read is bound only where something decides by it, or where its thread stands
// (causality/dependence/step_dependence.h). What it sees must then be as it was, too, with all that
// the write took it from.
// Cost: linear in steps and orders, times the logarithm of the chains of threads, for each of two
//   passes; a read costs a binary search for each thread that uses its location, an acquisition for
//   each thread that uses its lock. A question costs a binary search.
// Gives up: reads of locations and sections of locks that more than kMostThreads threads use.
#pragma once

#include <cstdint>
#include <vector>

#include "base/shared_counts.h"
#include "causality/computation/computation.h"
#include "trace/trace.h"

namespace sooth::predict {

class Index;

class MustOrder {
public:
  // Which orders of the computation count: a question may waive all but those of creating and
  // joining threads.
  enum class Of : std::uint8_t { Everything, CreationAndJoining };
  // By the orders alone, under every model.
  MustOrder(const trace::Trace& trace, const causality::Computation& computation, Of orders = Of::Everything);
  // By the values, too, in the runs of the index's model.
  MustOrder(const trace::Trace& trace, const Index& index, Of orders = Of::Everything);

  // `first` happens before `second`, or is it.
  bool precedes(causality::StepId first, causality::StepId second) const;

  // No run has both threads standing directly before these steps: one of them comes before
  // something that the other one's thread has done by then.
  bool excludes(causality::StepId a, causality::StepId b) const;

  // Threads with the same number are in a chain (thread_chains.h).
  std::uint32_t chain(std::uint32_t thread) const { return chain_[thread]; }

private:
  friend class ValueOrders; // must_values.cc

  struct Change { // from this place on, the thread comes after `clock`
    std::uint32_t place = 0;
    SharedCounts clock; // component c: so many steps of the threads of chain c, one after the other
  };
  using Changes = std::vector<std::vector<Change>>; // by thread, ascending places

  // Adds what the orders that end in `second` say to the clock, from `order` on; returns the first
  // order behind them.
  std::size_t join_orders(const trace::Trace& trace, std::size_t order, causality::StepId second, Of orders,
                          SharedCounts& clock) const;
  static const SharedCounts* clock_at(const std::vector<Change>& changes, std::uint32_t place);
  // The step itself, and all that comes before it.
  SharedCounts up_to(const causality::Step& step) const;
  // How many steps of the thread a clock has.
  std::uint32_t steps_in(const SharedCounts& clock, std::uint32_t thread) const;

  // The step's place among those of its chain.
  std::uint32_t place(const causality::Step& step) const { return offset_[step.thread] + step.place; }

  const causality::Computation& computation_;
  const std::vector<std::uint32_t> chain_; // by thread
  std::vector<std::uint32_t> offset_;      // by thread: so many steps do those before it in its chain have
  Changes changes_;
  std::vector<SharedCounts> of_node_; // model full, by node of the dependence: what holds if it is as it was
};

} // namespace sooth::predict
