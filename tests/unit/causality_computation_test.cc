// Computations of traces: what becomes a step, an operation, an order.
#include <gtest/gtest.h>

#include <algorithm>

#include "causality/computation/computation.h"
#include "predict/question/execution.h"
#include "predict/question/witness_of.h"
#include "trace/objects.h"
#include "trace/verify.h"
#include "verify_builder.h"
#include "verify_run.h"

namespace sooth::causality {
namespace {

using trace::EventKind;
using trace::testing::RandomRun;
using trace::testing::TraceBuilder;

std::vector<OperationKind> kinds_of(const Computation& c, std::uint32_t event) {
  std::vector<OperationKind> kinds;
  for (const Operation& o : c.operations_of(c.step_of_event[event])) kinds.push_back(o.kind);
  return kinds;
}

constexpr std::uint64_t kA = 0x1000, kLock = 0x9000;

TEST(Computation, PrivateAndUnwrittenMemoryHasNoOperations) {
  TraceBuilder b(2);
  b.write(0, kA, 4, 1);    // only thread 0
  b.read(0, kA + 8, 4, 7); // both read, nobody writes
  b.read(1, kA + 8, 4, 7);
  b.write(0, kA + 16, 4, 3); // shared
  b.read(1, kA + 16, 4, 3);
  const Computation c = compute(b.trace);
  ASSERT_EQ(c.locations.size(), 1u);
  EXPECT_EQ(c.locations[0].address, kA + 16);
  EXPECT_EQ(c.operations.size(), 2u);
  EXPECT_EQ(c.operations[0].value, c.operations[1].value);
  EXPECT_EQ(c.step_of_event[0], c.step_of_event[1]); // what nobody else can tell belongs to the step before it
}

// In traces from elsewhere, a thread may end with a call. It stays with the event before it. The
// join comes after both.
TEST(Computation, ACallAtTheEndOfAThreadIsNoStepOfItsOwn) {
  TraceBuilder b(2);
  b.add(0, EventKind::Fork, 0, 1);
  b.add(1, EventKind::SemPost, kA);
  b.add(0, EventKind::SemWait, kA);
  b.add(1, EventKind::Enter);
  b.add(0, EventKind::Join, 0, 1);
  const Computation c = compute(b.trace);
  EXPECT_EQ(c.step_of_event[3], c.step_of_event[1]);
  EXPECT_EQ(std::ranges::count(c.orders, Order{c.step_of_event[1], c.step_of_event[4]}), 1);
}

TEST(Computation, OverlappingAccessesShareTheBytesInCommon) {
  TraceBuilder b(2);
  b.write(0, kA, 8, 0x1122334455667788);
  b.read(1, kA + 2, 2, 0x5566);
  b.write(1, kA + 3, 1, 9);
  const Computation c = compute(b.trace);
  ASSERT_EQ(c.locations.size(), 2u); // bytes 2 and 3; the others belong to thread 0
  EXPECT_EQ(c.locations[0].address, kA + 2);
  EXPECT_EQ(c.locations[1].address, kA + 3);
  EXPECT_EQ(c.steps[c.step_of_event[0]].operations, 2u);
  EXPECT_EQ(c.steps[c.step_of_event[1]].operations, 2u);
  EXPECT_EQ(c.steps[c.step_of_event[2]].operations, 1u);
}

TEST(Computation, RecursionShowsOnlyItsOutermostAcquireAndRelease) {
  TraceBuilder b(1);
  for (int i = 0; i < 2; ++i) b.add(0, EventKind::Acquire, kLock, trace::kLockRecursive);
  for (int i = 0; i < 2; ++i) b.add(0, EventKind::Release, kLock, trace::kLockRecursive);
  const Computation c = compute(b.trace);
  EXPECT_EQ(kinds_of(c, 0), std::vector{OperationKind::Acquire});
  EXPECT_EQ(kinds_of(c, 3), std::vector{OperationKind::Release});
  EXPECT_EQ(c.operations.size(), 2u);
}

TEST(Computation, AFailedTryNeedsTheHolder) {
  TraceBuilder b(2);
  b.add(0, EventKind::Acquire, kLock);
  b.add(1, EventKind::Acquire, kLock, trace::kLockTry, trace::kFailed);
  b.add(0, EventKind::Release, kLock);
  b.add(1, EventKind::Acquire, kLock, trace::kLockTry, trace::kFailed); // told a moment too late
  const Computation c = compute(b.trace);
  EXPECT_EQ(kinds_of(c, 1), std::vector{OperationKind::TryFailed});
  EXPECT_EQ(c.steps[c.step_of_event[1]].flags & kExternalRead, 0u);
  EXPECT_NE(c.steps[c.step_of_event[3]].flags & kExternalRead, 0u);
}

TEST(Computation, GluedBlocksAreOneStepAndReadBeforeTheyWrite) {
  TraceBuilder b(2);
  b.access(0, EventKind::Read, kA, 4, 5, trace::kGlued);
  b.access(0, EventKind::Write, kA, 4, 6, trace::kGlued);
  b.read(0, kA, 4, 6);
  b.write(1, kA, 4, 7);
  const Computation c = compute(b.trace);
  EXPECT_EQ(c.steps.size(), 2u);
  EXPECT_EQ(kinds_of(c, 0), (std::vector{OperationKind::Read, OperationKind::Write}));
  // The glued read may have seen something else: thread 1 writes without synchronisation (rule 4).
  EXPECT_EQ(c.threads[0].trusted, 0u);
  EXPECT_EQ(c.untrusted_steps, 1u);
}

TEST(Computation, SynchronisedGluedReadsAreTrusted) {
  TraceBuilder b(2);
  b.add(0, EventKind::Acquire, kLock);
  b.access(0, EventKind::Read, kA, 4, 5, trace::kGlued);
  b.read(0, kA, 4, 5);
  b.add(0, EventKind::Release, kLock);
  b.add(1, EventKind::Acquire, kLock);
  b.write(1, kA, 4, 7);
  b.add(1, EventKind::Release, kLock);
  const Computation c = compute(b.trace);
  EXPECT_EQ(c.untrusted_steps, 0u);
}

// Whatever was lost may have ordered the rest: a fork, a release, a signal.
TEST(Computation, NothingIsPredictedFromATraceThatLostEvents) {
  for (const trace::Defect defect :
       {trace::Defect::DroppedEvents, trace::Defect::MissingEvents, trace::Defect::DamagedChunks}) {
    TraceBuilder b(2);
    b.write(0, kA, 4, 1);
    b.write(1, kA, 4, 2);
    EXPECT_EQ(compute(b.trace).untrusted_steps, 0u);
    b.trace.defects[static_cast<unsigned>(defect)] = 1;
    const Computation c = compute(b.trace);
    EXPECT_EQ(c.untrusted_steps, 2u);
    for (const ThreadSteps& thread : c.threads) EXPECT_EQ(thread.trusted, 0u);
  }
}

TEST(Computation, HoldsLastUntilTheEventBeforeTheNextAccess) {
  TraceBuilder b(2);
  b.access(0, EventKind::Write, kA, 4, 1, trace::kHeld);
  b.write(0, kA + 8, 4, 1);
  b.write(0, kA, 4, 2);
  b.read(1, kA, 4, 2);
  b.read(1, kA + 8, 4, 1);
  const Computation c = compute(b.trace);
  EXPECT_EQ(kinds_of(c, 0), (std::vector{OperationKind::Write, OperationKind::HoldBegin}));
  EXPECT_EQ(kinds_of(c, 1), (std::vector{OperationKind::Write, OperationKind::HoldEnd}));
}

TEST(Computation, ExternalWritesThatAreFoundAtomicallyPin) {
  // Only thread 0 is seen to touch it; what it waits for was written by code without hooks, of another thread.
  TraceBuilder b(2);
  b.access(0, EventKind::AtomicWrite, kA, 4, 0);
  b.write(1, kA + 64, 4, 1);
  b.access(0, EventKind::ExternalWrite, kA, 4, 3);
  b.access(0, EventKind::AtomicRead, kA, 4, 3);
  const Computation c = compute(b.trace);
  EXPECT_EQ(c.external_reads, 1u);
  EXPECT_NE(c.steps[c.step_of_event[3]].flags & kExternalRead, 0u);
}

// Thread 1 has a step before, if `late`.
TraceBuilder external_writes(bool late) {
  TraceBuilder b(2);
  b.read(late ? 1 : 0, kA + 8, 4, 0);
  b.access(0, EventKind::ExternalWrite, kA, 4, 3);
  b.read(0, kA, 4, 3);
  b.access(0, EventKind::ExternalWrite, kA + 8, 4, 3);
  b.read(0, kA + 8, 4, 3);
  b.read(1, kA + 8, 4, 3);
  return b;
}

TEST(Computation, ExternalWritesPinSharedReadsOnly) {
  const Computation c = compute(external_writes(true).trace);
  EXPECT_EQ(c.external_reads, 1u);
  EXPECT_NE(c.steps[c.step_of_event[4]].flags & kExternalRead, 0u);
}

TEST(Computation, ExternalWritesPinNothingBeforeOtherThreadsBegin) {
  TraceBuilder b = external_writes(false);
  const Computation c = compute(b.trace);
  EXPECT_EQ(c.external_reads, 0u);
  EXPECT_EQ(c.steps[c.step_of_event[4]].flags & kExternalRead, 0u);
  b.trace.is_piece = true;
  EXPECT_EQ(compute(b.trace).external_reads, 1u);
}

TEST(Computation, LivesOrderAccessesOfOtherThreads) {
  TraceBuilder b(2);
  b.add(0, EventKind::Alloc, kA, 16);
  b.write(0, kA, 4, 1);
  b.read(1, kA + 8, 4, 0);
  b.add(0, EventKind::Free, kA, 16);
  const Computation c = compute(b.trace);
  const std::vector<Order> expected = {{c.step_of_event[0], c.step_of_event[2]},
                                       {c.step_of_event[2], c.step_of_event[3]}};
  EXPECT_EQ(c.orders, expected);
}

// Two threads wait; a signal comes and later a broadcast. Which of the two woke whom is not known:
// in the recorded run the signal may have woken the first one. Other runs need not repeat that.
TEST(Computation, AWakeFollowsTheFirstSignalThatMayHaveDoneIt) {
  constexpr std::uint64_t kCondition = 0xa000;
  TraceBuilder b(3);
  for (const std::uint32_t t : {0u, 1u}) {
    b.add(t, EventKind::Acquire, kLock);
    b.add(t, EventKind::Wait, kCondition, kLock);
  }
  b.add(2, EventKind::Signal, kCondition);
  b.add(2, EventKind::Broadcast, kCondition);
  for (const std::uint32_t t : {0u, 1u}) {
    b.add(t, EventKind::Wake, kCondition, kLock);
    b.add(t, EventKind::Release, kLock);
  }
  const Computation c = compute(b.trace);
  const auto ordered = [&](std::uint32_t first, std::uint32_t second) {
    return std::ranges::count(c.recorded_orders(), Order{c.step_of_event[first], c.step_of_event[second]}) != 0;
  };
  EXPECT_TRUE(ordered(1, 4) && ordered(4, 6)); // the first one's wait, the signal, its wake
  EXPECT_FALSE(ordered(5, 6));
  EXPECT_TRUE(ordered(3, 5) && ordered(5, 8)); // the second one's, with the broadcast
  EXPECT_TRUE(c.orders.empty());
  EXPECT_EQ(c.conservative_orders, 0u);
}

// One thread posts: its second post comes before another thread's second wait, even if others wait.
// With two posters nothing is certain.
TEST(Computation, TheCountSaysWhichPostOfOneThreadAWaitNeeds) {
  constexpr std::uint64_t kSemaphore = 0xb000;
  for (const std::uint32_t other : {0u, 2u}) {
    TraceBuilder b(3);
    b.add(0, EventKind::SemInit, kSemaphore, 0);
    b.add(0, EventKind::SemPost, kSemaphore);
    b.add(other, EventKind::SemPost, kSemaphore);
    b.add(1, EventKind::SemWait, kSemaphore);
    b.add(1, EventKind::SemWait, kSemaphore);
    const Computation c = compute(b.trace);
    const auto first = Order{c.step_of_event[1], c.step_of_event[3]},
               second = Order{c.step_of_event[2], c.step_of_event[4]};
    EXPECT_EQ(std::ranges::count(c.orders, first), other == 0 ? 1 : 0);
    EXPECT_EQ(std::ranges::count(c.orders, second), other == 0 ? 1 : 0);
    EXPECT_EQ(std::ranges::count(c.recorded_orders(), first), 1);
    EXPECT_EQ(std::ranges::count(c.recorded_orders(), second), 1);
    EXPECT_EQ(c.conservative_orders, 0u);
  }
}

// Three threads at a barrier for two: who meets is kept, and told. Two threads at it: who comes
// first is open.
TEST(Computation, ARoundOfABarrierIsAllWhoArrived) {
  constexpr std::uint64_t kBarrier = 0xc000;
  for (const std::uint32_t threads : {2u, 3u}) {
    TraceBuilder b(threads);
    b.add(0, EventKind::BarrierInit, kBarrier, 2);
    for (const std::uint32_t t : {0u, 1u}) b.add(t, EventKind::BarrierArrive, kBarrier);
    for (const std::uint32_t t : {0u, 1u}) b.add(t, EventKind::BarrierLeave, kBarrier);
    for (const std::uint32_t t : {threads - 1, 0u}) b.add(t, EventKind::BarrierArrive, kBarrier);
    const Computation c = compute(b.trace);
    const auto ordered = [&](std::uint32_t first, std::uint32_t second) {
      return std::ranges::count(c.orders, Order{c.step_of_event[first], c.step_of_event[second]}) != 0;
    };
    EXPECT_EQ(ordered(1, 2), threads == 3); // the arrivals
    EXPECT_TRUE(ordered(2, 3));
    EXPECT_EQ(ordered(1, 4), threads == 2); // else by way of the second arrival
    EXPECT_EQ(c.conservative_orders != 0, threads == 3);
  }
}

TEST(Objects, ReusedMemoryIsAnotherObject) {
  TraceBuilder b(2);
  for (const std::uint32_t t : {0u, 1u}) {
    b.add(t, EventKind::Alloc, kA, 64);
    b.write(t, kA + 4, 4, 1);
    b.add(t, EventKind::Acquire, kA + 8);
    b.add(t, EventKind::Release, kA + 8);
    b.add(t, EventKind::Free, kA, 64);
  }
  trace::Trace t = b.trace;
  const trace::ObjectTable table = separate_objects(t);
  ASSERT_EQ(table.moved.size(), 1u);
  EXPECT_EQ(t.events[1].address, kA + 4);
  EXPECT_EQ(t.events[6].address, table.moved[0].address + 4);
  EXPECT_EQ(t.events[7].address, table.moved[0].address + 8);
  EXPECT_EQ(table.original(t.events[6].address), kA + 4);
  EXPECT_EQ(table.original(kA), kA);
  EXPECT_TRUE(compute(t).orders.empty());
}

TEST(Objects, AnAccessAcrossABorderKeepsThemTogether) {
  TraceBuilder b(1);
  b.add(0, EventKind::Map, kA, 64);
  b.add(0, EventKind::Map, kA + 64, 64);
  b.add(0, EventKind::Map, kA + 64, 64);
  b.write(0, kA + 60, 8, 1);
  trace::Trace t = b.trace;
  const trace::ObjectTable table = separate_objects(t);
  EXPECT_TRUE(table.moved.empty());
  EXPECT_EQ(table.kept_together, 1u);
  EXPECT_EQ(t.events, b.trace.events);
}

// The observed order is itself a run, under every model, and as a witness it is the trace; unless it is none that could have been.
TEST(Computation, TheObservedOrderIsARunOfEveryModel) {
  std::uint64_t runs = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    trace::Trace t = RandomRun(seed).make(20 + seed);
    separate_objects(t);
    ASSERT_TRUE(trace::verify(t).legal()) << seed;
    const Computation c = compute(t);
    if (c.first_misplaced < t.events.size()) continue;
    ++runs;
    std::vector<StepId> all(c.steps.size());
    for (StepId i = 0; i < all.size(); ++i) all[i] = i;
    for (const auto model :
         {witness::Model::HappensBefore, witness::Model::HappensBeforeLocks, witness::Model::WeakHappensBefore,
          witness::Model::WeakHappensBeforeLocks, witness::Model::Maximal}) {
      const predict::Index index(c, model);
      ASSERT_EQ(predict::objection_to(index, {}, all), "") << "seed " << seed;
    }
    const witness::Witness w = predict::witness_of(c, t, all, {});
    std::size_t events = w.observed + w.steps.size();
    EXPECT_EQ(events, t.events.size());
  }
  EXPECT_GT(runs, 100u);
}

} // namespace
} // namespace sooth::causality
