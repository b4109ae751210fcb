// A run in the making: which steps it has, and the known part of their order.
//
//     steps a1 a2 of T1, b1 of T2; order(a2, b1)    clock of b1: 2 steps of T1 come before it
//     order(b1, a1)                                 contradiction: a1 comes before a2, a2 before b1
//
// Question: do these steps and orders contradict each other?
// Source: vector clocks. A step's clock says, for each thread, how many of its steps are known to
//   come before.
// Where we differ: unlike in a graph, "is a known to precede b" is one comparison. Orders are
//   collected and closed together, the earliest steps first, so that a step's clock is passed on
//   about once for many orders. Everything can be undone back to a mark; before the first mark
//   nothing is kept for that.
// Cost: closing costs the steps whose clocks change, times the threads. Memory: steps of the window
//   times threads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "predict/question/index.h"

namespace sooth::predict {

class PartialRun {
public:
  // Steps from `begin` to `end` (exclusive) take part; of each thread `base[t]` steps have happened
  // before.
  PartialRun(const Computation& computation, StepId begin, StepId end, std::vector<std::uint32_t> base,
             std::vector<std::uint32_t> limits);

  std::uint32_t prefix(std::uint32_t thread) const { return prefixes_[thread]; }
  std::uint32_t base(std::uint32_t thread) const { return base_[thread]; }
  std::uint32_t limit(std::uint32_t thread) const { return limits_[thread]; }
  std::span<const std::uint32_t> bases() const { return base_; }
  std::uint32_t threads() const { return static_cast<std::uint32_t>(prefixes_.size()); }
  bool has(StepId step) const { return prefixes_[thread_of(step)] > place_of(step); }
  bool may_have(StepId step) const { return step != kNoStep && limits_[thread_of(step)] > place_of(step); }
  bool in_base(StepId step) const { return base_[thread_of(step)] > place_of(step); }

  // How many of the thread's steps are known to come before the step. Both must take part.
  std::uint32_t known_before(StepId step, std::uint32_t thread) const {
    const std::uint32_t column = columns_[thread];
    return column == kNoColumn ? base_[thread] : clocks_[row(step) + column];
  }
  bool precedes(StepId first, StepId second) const {
    return in_base(first) || known_before(second, thread_of(first)) > place_of(first);
  }

  // The thread's next step becomes part of the run. Returns kNoStep if its limit is reached.
  StepId grow(std::uint32_t thread);
  // False: there is a contradiction. Both steps must be in the run, or the first in the base. The
  // order's consequences for other steps are known after propagate().
  bool order(StepId first, StepId second);
  bool propagate(); // false: there is a contradiction
  bool pending() const { return first_pending_ < pending_.size(); }

  // A thread that has to go on before the step can follow, if threads have come to `positions`;
  // kNoThread: none.
  static constexpr std::uint32_t kNoThread = 0xffffffff;
  std::uint32_t waits_for(StepId step, std::span<const std::uint32_t> positions) const;

  // Steps whose clocks changed, since the last look; may repeat.
  std::vector<StepId>& changed() { return changed_; }

  std::size_t mark();
  void take_back(std::size_t mark);

private:
  static constexpr std::uint32_t kNoColumn = 0xffffffff;
  static constexpr std::uint32_t kNoEdge = 0xffffffff;
  enum class Undo : std::uint8_t { Clock, Edge, Prefix };
  struct Trail {
    Undo what;
    std::uint32_t where;
    std::uint32_t old;
  };
  struct Edge {
    StepId second;
    std::uint32_t next; // of the same first step
  };

  std::uint32_t thread_of(StepId step) const { return computation_.steps[step].thread; }
  std::uint32_t place_of(StepId step) const { return computation_.steps[step].place; }
  std::size_t row(StepId step) const { return std::size_t{step - begin_} * width_; }
  bool raise(StepId step, std::size_t from, std::uint32_t column, std::uint32_t count);

  void add_pending(StepId step);

  const Computation& computation_;
  const StepId begin_;
  std::uint32_t width_ = 0;
  std::vector<std::uint32_t> base_, limits_, prefixes_; // by thread
  std::vector<std::uint32_t> columns_;                  // by thread
  std::vector<std::uint32_t> threads_;                  // by column
  std::unique_ptr<std::uint32_t[]> clocks_;             // row of a step, column of a thread
  std::vector<std::uint32_t> first_edge_;               // by step: what was ordered behind it
  std::vector<Edge> edges_;
  std::vector<Trail> trail_;
  std::vector<std::uint32_t> old_rows_; // clocks as they were, for the trail
  std::vector<std::uint32_t> saved_;    // by step: the stamp at which its clock was kept
  std::uint32_t stamp_ = 0;             // grows with each mark
  std::vector<std::uint64_t> pending_;  // a bit for each step whose clock is to be passed on
  std::size_t first_pending_ = 0;       // no word before this has one
  std::vector<StepId> changed_;
};

} // namespace sooth::predict
