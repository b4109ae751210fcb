// A computation: a trace, keeping only what can distinguish one run from another.
//
//     events of the trace                steps of the computation
//     T1 acquire m                       T1: acquire lock 0
//     T1 write p = 3                     (only T1 uses p: no operation)
//     T1 write x = 1                     T1: write location 0, value 1
//     T1 branch                          (belongs to the step before it)
//     T1 release m                       T1: release lock 0
//     T2 read x = 1                      T2: read location 0, value 1
//
// Question: which steps did the threads make, on which objects, and what must hold for a step to
//   happen in another run?
// Source: maximal models, section 2 (concurrent objects with serial specifications), for all
//   primitives that are recorded.
//
// Steps. A step is one or more neighbouring events of one thread that no other thread may separate:
// a `glued` block, or an access with the branches, calls and annotations that follow it. Steps
// stand in the observed order; the first event of a step gives it its place. Operations of a step
// happen in their order, all at once.
//
// Locations. Memory is cut into pieces such that every access covers whole pieces; an access is one
// operation for each. Pieces that only one thread touches, or that are never written, have no
// operations. Values are numbered: equal numbers, equal bytes. Unknown contents (opaque) have a
// number of their own that equals nothing else.
//
// Semaphores and conditions are objects as well: a wait needs a post or a signal, not the one that
// it met. Other primitives become orders between steps that every run keeps: fork before start, end
// before join, the arrivals of a barrier's round before those that leave it, once. Where that is
// not maximal (primitives.h), the report says so.
//
// The four rules of docs/trace_format.md are in here: holds are operations, merged writes are
// marked, glued blocks are steps, and a thread is cut off (Thread::trusted) where the value or the
// time of a read is not known. If events of the trace were lost, all threads are cut off at their
// beginning.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "causality/dependence/step_dependence.h"
#include "trace/objects.h"
#include "trace/trace.h"

namespace sooth::causality {

using StepId = std::uint32_t;
inline constexpr StepId kNoStep = 0xffffffff;

enum class OperationKind : std::uint8_t {
  Read,          // object: location; happens only if the location has `value`
  Write,         // object: location; it has `value` afterwards
  Acquire,       // object: lock; only if no other thread has it. Outermost acquires of recursive locks only
  Release,       //
  AcquireShared, // only if no thread has it exclusively
  ReleaseShared, //
  TryFailed,     // object: lock; happens only while another thread has it (value 1: exclusively)
  HoldBegin,     // object: location; from here on other threads do not write it (value 1: nor read it) ...
  HoldEnd,       // ... up to here
  Post,          // object: semaphore; its count grows by one
  Take,          // only if the count is above 0; value: the post that it took in the recorded run, or kNoStep
  WaitBegin,     // object: condition; the thread waits from here on
  WakeUp,        // only if a signal since its wait is left for it (wait_queue.h); value: the one it was, as recorded
  WakeAnyway,    // the wait ends by time, or nobody knows why
  Signal,        // for one of the threads that wait
  Broadcast,     // for all of them
};

// Of a primitive that is neither memory nor a lock.
constexpr bool is_counted(OperationKind kind) { return kind >= OperationKind::Post; }
constexpr bool is_of_condition(OperationKind kind) { return kind >= OperationKind::WaitBegin; }

struct Operation {
  OperationKind kind = OperationKind::Read;
  std::uint32_t object = 0;
  std::uint32_t value = 0;
  friend bool operator==(const Operation&, const Operation&) = default;
};

enum StepFlags : std::uint32_t {
  kMergedStep = 1,   // not to be one of a finding's own events
  kAtomicStep = 2,   // its access is an atomic operation
  kExternalRead = 4, // reads what no recorded event wrote: every step that was observed before it stays before it
};

struct Step {
  std::uint32_t event = 0; // the first event of the step
  std::uint32_t last_event =
      0; // the last event of the step (of the same thread; others may stand between them in the trace)
  std::uint32_t thread = 0;
  std::uint32_t place = 0; // index among its thread's steps
  std::uint32_t first_operation = 0;
  std::uint32_t operations = 0;
  std::uint32_t flags = 0; // StepFlags
};

struct Location {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  std::uint32_t initial = 0; // number of its value before the first step; kUnknownValue if it was not seen
};
inline constexpr std::uint32_t kUnknownValue = 0; // no read sees it

struct ThreadSteps {
  std::vector<StepId> steps;
  std::uint32_t trusted = 0; // so many of them may be part of a predicted run
};

struct Semaphore {
  std::uint64_t address = 0;
  std::uint64_t first_count = 0; // if it is not known: the least that it can have been
};

// `first` happens before `second` in every run.
struct Order {
  StepId first = kNoStep;
  StepId second = kNoStep;
  friend auto operator<=>(const Order&, const Order&) = default;
};

struct Computation {
  std::vector<Step> steps; // in the observed order
  std::vector<Operation> operations;
  std::vector<ThreadSteps> threads;
  std::vector<Location> locations;
  std::vector<std::uint64_t> locks;      // addresses
  std::vector<Semaphore> semaphores;     // each begins with an initialisation
  std::vector<std::uint64_t> conditions; // addresses
  std::vector<Order> orders;             // sorted by `second`, then `first`; without those that thread order implies
  // The same, and those that hold in the recorded run only: which post a wait took, which signal
  // woke a thread. Empty if there are none of these.
  std::vector<Order> orders_as_recorded;
  // Of `orders`: from a cancellation to the first step of its thread behind it. Before the
  // cancellation, the thread does not even stand before that step. Sorted like `orders`.
  std::vector<Order> cancels;
  std::vector<StepId> step_of_event; // kNoStep for events without one
  StepId standing = 0;               // every run begins with so many steps as they were (Trace::standing)
  StepDependence dependence;         // what `full` and `sliced` need; dependence.h fills it in

  // From this event on, the order of the trace may be one that the threads could not have had
  // (trace/misplaced.h). Statements about the recorded run itself end here.
  std::uint32_t first_misplaced = 0xffffffff;

  // What makes answers incomplete, for the report: by name, how often.
  std::uint64_t external_reads = 0;
  std::uint64_t untrusted_steps = 0;
  std::uint64_t conservative_orders = 0; // orders that a maximal model would not need

  // What the recorded run, and the models that repeat its synchronisation, kept to.
  const std::vector<Order>& recorded_orders() const { return orders_as_recorded.empty() ? orders : orders_as_recorded; }

  // The orders that end in the step.
  static std::span<const Order> ending_in(const std::vector<Order>& sorted, StepId step) {
    const auto found = std::ranges::equal_range(sorted, step, {}, &Order::second);
    return {found.begin(), found.end()};
  }
  bool cancels_thread(const Order& order) const {
    const std::span<const Order> same = ending_in(cancels, order.second);
    return std::ranges::find(same, order) != same.end();
  }

  std::span<const Operation> operations_of(StepId step) const {
    return std::span(operations).subspan(steps[step].first_operation, steps[step].operations);
  }
};

// The trace must be legal (trace::verify). Objects at reused addresses must have been separated
// (trace/objects.h); `objects` is the result.
Computation compute(const trace::Trace& trace, const trace::ObjectTable& objects = {});

} // namespace sooth::causality
