// Semaphores and conditions of a schedule as it grows. Where a wait is stuck: the changes of order
// that could free it.
//
//     semaphore with count 0:  T1 post, T2 take; T3's take is stuck
//       in every run with all of them: another post comes before T3's take, or T3's before T2's
//     condition:  T1 wait, T2 wait, T3 signal, T2 wakes up; T1 is stuck
//       another signal comes before T1 wakes up, or T1 wakes up before T2
//     condition:  T3 signal, T1 wait; T1 is stuck
//       another signal comes before T1 wakes up, or T1's wait comes before T3's signal
//
// Question: in which ways could a wait that nothing serves be served in another run?
// Source: the theorem of Hall. Semaphore: if no other post comes before the wait, and every wait
//   that was served comes before it, too, nothing is left. Condition: let S be the signals since
//   its wait, and since the waits of those who used signals of S, and so on. All of S is used, or
//   it would have served the wait. As many wake-ups as S has signals, and this one, can use none
//   but these, as long as no other signal comes before this wake-up, no signal that came before
//   one of their waits comes behind it, and none of them wakes up behind this one.
// Cost: a step costs the number of waiting threads; why_not() the uses of the object so far.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <span>
#include <vector>

#include "causality/computation/wait_queue.h"
#include "predict/question/constraints.h"
#include "predict/question/schedule.h"

namespace sooth::predict {

struct Served {
  std::vector<Option> options; // one of these holds in every run that has the wait ...
  std::vector<StepId> used_by; // ... and these
};

class Counted {
public:
  explicit Counted(const Constraints& constraints);

  bool allows(const Operation& operation, std::uint32_t thread);
  void take(const Operation& operation, StepId step, std::uint32_t thread);
  // Of the operation that allows() refused: `positions` is how far the threads have come.
  Served why_not(std::uint32_t operation, StepId step, std::span<const std::uint32_t> positions);

private:
  struct Use {
    OperationKind kind = OperationKind::Signal;
    StepId step = kNoStep; // kNoStep: before the window
    std::uint32_t thread = 0;
  };
  struct Condition {
    causality::WaitQueue queue;
    std::vector<Use> uses; // since the window began
  };
  std::uint64_t& count(std::uint32_t semaphore);
  Condition& condition(std::uint32_t number);
  void add_gives(const std::vector<ThreadUses>& threads, StepId step, std::span<const std::uint32_t> positions,
                 Served& out) const;
  void sort(Served& out) const;
  Served why_not_take(const Operation& operation, StepId step, std::span<const std::uint32_t> positions) const;
  Served why_not_wake(const Operation& operation, StepId wake, StepId wait, std::span<const std::uint32_t> positions);

  const Constraints& constraints_;
  const Index& index_;
  const PartialRun& run_;
  absl::flat_hash_map<std::uint32_t, std::uint64_t> counts_; // by semaphore
  absl::flat_hash_map<std::uint32_t, Condition> conditions_; // by condition
};

} // namespace sooth::predict
