// Threads that wait when a run ends, in pairs: those that never go on, and those that might.
#include <gtest/gtest.h>

#include "predict/deadlocks/waiting_at_end.h"
#include "unit/predict_case.h"

namespace sooth::predict {
namespace {

using testing::Case;
using trace::EventKind;

constexpr std::uint64_t A = 0x1000, B = 0x2000, Condition = 0x3000, Semaphore = 0x4000, Barrier = 0x5000, Word = 0x6000;

class Hang : public Case {
public:
  using Case::Case;

  void request(std::uint32_t thread, EventKind awaited, std::uint64_t object, std::uint64_t value = 0,
               std::uint8_t flags = 0) {
    add(thread, EventKind::Request, object, static_cast<std::uint64_t>(awaited) << trace::kAwaitedShift | value, flags);
  }
  // What is found must be accepted.
  WaitingAtEnd look() {
    const trace::VerifyReport report = trace::verify(trace);
    EXPECT_TRUE(report.legal()) << (report.problems.empty() ? "" : report.problems[0].sentence);
    WaitingAtEnd result = waiting_at_end(trace);
    witness::Checker checker(trace);
    for (const witness::Finding& finding : result.deadlocks) {
      EXPECT_EQ(checker.objection(finding).value_or(""), "");
      EXPECT_EQ(finding.status, witness::Status::Observed);
    }
    return result;
  }
};

// Each has one lock, and asks for the other's.
Hang circle() {
  Hang run(2);
  run.fork(0, 1);
  run.lock(0, A);
  run.lock(1, B);
  return run;
}

TEST(WaitingAtEnd, TwoThreadsWaitForEachOther) {
  Hang run = circle();
  run.request(0, EventKind::Acquire, B);
  run.request(1, EventKind::Acquire, A);
  const WaitingAtEnd found = run.look();
  ASSERT_EQ(found.deadlocks.size(), 1u);
  EXPECT_EQ(found.deadlocks[0].witness.next.size(), 2u);
  EXPECT_TRUE(found.all_stuck);
  EXPECT_TRUE(found.others.empty());
}

TEST(WaitingAtEnd, OneThatRunsMayGiveTheLock) {
  Hang run = circle();
  run.request(0, EventKind::Acquire, B);
  const WaitingAtEnd found = run.look();
  EXPECT_TRUE(found.deadlocks.empty());
  EXPECT_EQ(found.others.size(), 1u);
}

TEST(WaitingAtEnd, ARequestForATimeEndsByItself) {
  Hang run = circle();
  run.request(0, EventKind::Acquire, B);
  run.request(1, EventKind::Acquire, A, trace::kLockTimed, trace::kFill);
  const WaitingAtEnd found = run.look();
  EXPECT_TRUE(found.deadlocks.empty());
  EXPECT_EQ(found.others.size(), 2u);
}

TEST(WaitingAtEnd, AThreadThatIsCancelledDoesNotWaitForEver) {
  Hang run = circle();
  run.add(0, EventKind::Cancel, 0, 1);
  run.request(0, EventKind::Acquire, B);
  run.request(1, EventKind::Acquire, A);
  EXPECT_TRUE(run.look().deadlocks.empty());
}

TEST(WaitingAtEnd, ACircleIsOneWhateverElseRuns) {
  Hang run(3);
  run.fork(0, 1);
  run.fork(0, 2);
  run.lock(1, A);
  run.lock(2, B);
  run.request(1, EventKind::Acquire, B);
  run.request(2, EventKind::Acquire, A);
  const WaitingAtEnd found = run.look();
  EXPECT_EQ(found.deadlocks.size(), 1u);
  EXPECT_FALSE(found.all_stuck);
}

TEST(WaitingAtEnd, ALockThatItsOwnerEndedWith) {
  Hang run(2);
  run.fork(0, 1);
  run.lock(1, A);
  run.join(0, 1);
  run.trace.events[run.last() - 1].address = 1; // the end of a thread, not of the process
  run.request(0, EventKind::Acquire, A);
  EXPECT_EQ(run.look().deadlocks.size(), 1u);
}

TEST(WaitingAtEnd, ARobustLockIsTakenOver) {
  Hang run(2);
  run.fork(0, 1);
  run.lock(1, A, trace::kLockRobust);
  run.join(0, 1);
  run.trace.events[run.last() - 1].address = 1;
  run.request(0, EventKind::Acquire, A, trace::kLockRobust);
  EXPECT_TRUE(run.look().deadlocks.empty());
}

TEST(WaitingAtEnd, ALockThatOtherProcessesUse) {
  Hang run(1);
  run.add(0, EventKind::LockInit, A, trace::kLockSpin | trace::kLockProcessShared);
  run.lock(0, A, trace::kLockSpin);
  run.request(0, EventKind::Acquire, A, trace::kLockSpin);
  EXPECT_TRUE(run.look().deadlocks.empty());
}

TEST(WaitingAtEnd, AThreadThatHasTheLockItself) {
  Hang run(1);
  run.lock(0, A);
  run.request(0, EventKind::Acquire, A);
  EXPECT_EQ(run.look().deadlocks.size(), 1u);
}

TEST(WaitingAtEnd, AReaderBehindAWriterThatWaits) {
  for (const bool prefers_writers : {true, false}) {
    const std::uint64_t type =
        trace::kLockReadWrite | (prefers_writers ? trace::kLockPreferWriter : trace::kLockNormal);
    Hang run(2);
    run.fork(0, 1);
    run.lock_shared(0, A, type);
    run.request(0, EventKind::AcquireShared, A, type);
    run.request(1, EventKind::Acquire, A, type);
    EXPECT_EQ(run.look().deadlocks.size(), prefers_writers ? 1u : 0u);
  }
}

// A semaphore that main waits for; thread 1 has ended.
Hang semaphore(std::uint64_t posts) {
  Hang run(2);
  run.add(0, EventKind::SemInit, Semaphore, 0);
  run.fork(0, 1);
  for (std::uint64_t i = 0; i < posts; ++i) run.add(1, EventKind::SemPost, Semaphore);
  run.join(0, 1);
  run.trace.events[run.last() - 1].address = 1;
  run.request(0, EventKind::SemWait, Semaphore);
  return run;
}

TEST(WaitingAtEnd, NobodyIsLeftToPost) { EXPECT_EQ(semaphore(0).look().deadlocks.size(), 1u); }
TEST(WaitingAtEnd, WhatWasPostedIsThere) { EXPECT_TRUE(semaphore(1).look().deadlocks.empty()); }

TEST(WaitingAtEnd, AHandlerMayPost) {
  Hang run = semaphore(0);
  run.trace.flags |= trace::kMayBeInterrupted;
  const WaitingAtEnd found = run.look();
  EXPECT_TRUE(found.deadlocks.empty());
  EXPECT_EQ(found.others.size(), 1u);
}

TEST(WaitingAtEnd, WhatIsNotFollowedMayPost) {
  Hang run = semaphore(0);
  run.trace.process.unsupported.emplace_back("clone", 1);
  EXPECT_TRUE(run.look().deadlocks.empty());
}

TEST(WaitingAtEnd, AThreadWhoseEndIsNotThereMayPost) {
  Hang run(2);
  run.add(0, EventKind::SemInit, Semaphore, 0);
  run.fork(0, 1);
  run.request(0, EventKind::SemWait, Semaphore);
  EXPECT_TRUE(run.look().deadlocks.empty());
}

TEST(WaitingAtEnd, AWaitAfterTheSignal) {
  for (const bool signalled : {false, true}) {
    Hang run(2);
    run.fork(0, 1);
    run.lock(0, A);
    run.add(0, EventKind::Wait, Condition, A);
    if (signalled) run.add(1, EventKind::Signal, Condition);
    run.add(1, EventKind::ThreadEnd, 1);
    run.request(0, EventKind::Wake, Condition);
    EXPECT_EQ(run.look().deadlocks.size(), signalled ? 0u : 1u);
  }
}

TEST(WaitingAtEnd, ASignalledThreadWhoseMutexIsKept) {
  Hang run(2);
  run.fork(0, 1);
  run.lock(0, A);
  run.add(0, EventKind::Wait, Condition, A);
  run.lock(1, A);
  run.add(1, EventKind::Signal, Condition);
  run.request(0, EventKind::Wake, Condition);
  run.request(1, EventKind::Join, 0, 0);
  EXPECT_EQ(run.look().deadlocks.size(), 1u);
}

TEST(WaitingAtEnd, ABarrierThatTooFewComeTo) {
  for (const std::uint64_t needed : {3u, 2u}) {
    Hang run(2);
    run.add(0, EventKind::BarrierInit, Barrier, needed);
    run.fork(0, 1);
    run.add(0, EventKind::BarrierArrive, Barrier);
    run.add(1, EventKind::BarrierArrive, Barrier);
    run.request(0, EventKind::BarrierLeave, Barrier);
    run.request(1, EventKind::BarrierLeave, Barrier);
    EXPECT_EQ(run.look().deadlocks.size(), needed == 3 ? 1u : 0u);
  }
}

TEST(WaitingAtEnd, AnInitialisationThatNeedsItself) {
  Hang run(1);
  run.add(0, EventKind::OnceBegin, A);
  run.request(0, EventKind::OnceWait, A);
  EXPECT_EQ(run.look().deadlocks.size(), 1u);
}

// A futex sleeps only if its word is still the expected one; one that is not private must be in memory of this process.
TEST(WaitingAtEnd, AFutex) {
  for (const std::uint64_t expected : {1u, 2u})
    for (const bool own : {true, false}) {
      Hang run(1);
      run.add(0, own ? EventKind::Alloc : EventKind::Map, Word, 64);
      run.access(0, EventKind::AtomicWrite, Word, 4, 1);
      run.request(0, EventKind::FutexWait, Word, expected | trace::kMayBeShared);
      EXPECT_EQ(run.look().deadlocks.size(), expected == 1 && own ? 1u : 0u);
    }
}

// It is looked at the moment before the handler; whatever that does, the circle was there.
TEST(WaitingAtEnd, AHandlerThatInterruptsAWait) {
  Hang run = circle();
  run.request(0, EventKind::Acquire, B);
  run.add(0, EventKind::SignalEnter, 0x100, 15);
  run.add(0, EventKind::ThreadEnd, 0);
  run.request(1, EventKind::Acquire, A);
  run.trace.process.end = trace::EndKind::QuickExit;
  EXPECT_EQ(run.look().deadlocks.size(), 1u);
}

// The checker believes no finding that rests on less.
TEST(WaitingAtEnd, TheCheckerWantsARequest) {
  Hang run = circle();
  run.request(0, EventKind::Acquire, B);
  run.request(1, EventKind::Acquire, A);
  witness::Finding finding = run.look().deadlocks.at(0);
  witness::Finding predicted = finding;
  predicted.status = witness::Status::Predicted;
  EXPECT_NE(witness::Checker(run.trace).objection(predicted), std::nullopt);
  witness::Finding half = finding;
  half.witness.next.pop_back();
  EXPECT_NE(witness::Checker(run.trace).objection(half), std::nullopt);
  run.trace.events[finding.witness.next[0]].flags |= trace::kFill;
  EXPECT_NE(witness::Checker(run.trace).objection(finding), std::nullopt);
}

} // namespace
} // namespace sooth::predict
