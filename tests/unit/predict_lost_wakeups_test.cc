// Lost wake-ups on hand-made traces, in pairs.
#include <gtest/gtest.h>

#include "predict/deadlocks/lost_wakeups.h"
#include "unit/predict_case.h"

namespace sooth::predict {
namespace {

using testing::Case;
using trace::EventKind;
using witness::Finding;
using witness::Role;

constexpr std::uint64_t Mutex = 0x1000, Condition = 0x2000, Ready = 0x3000;

enum class Predicate { None, Unlocked, Locked };

// Thread 1 waits; thread 0 makes it ready, signals and joins.
Case waiting(Predicate predicate, std::uint8_t wait_flags = 0) {
  Case run(2);
  if (predicate != Predicate::None) run.access(0, EventKind::AtomicWrite, Ready, 4, 0);
  run.fork(0, 1);
  run.lock(1, Mutex);
  if (predicate != Predicate::None) run.access(1, EventKind::AtomicRead, Ready, 4, 0);
  run.add(1, EventKind::Wait, Condition, Mutex, wait_flags);
  if (predicate == Predicate::Locked) run.lock(0, Mutex);
  if (predicate != Predicate::None) run.access(0, EventKind::AtomicWrite, Ready, 4, 1);
  if (predicate == Predicate::Locked) run.unlock(0, Mutex);
  run.add(0, EventKind::Signal, Condition);
  run.add(1, EventKind::Wake, Condition, Mutex);
  if (predicate != Predicate::None) run.access(1, EventKind::AtomicRead, Ready, 4, 1);
  run.unlock(1, Mutex);
  run.join(0, 1);
  return run;
}

TEST(LostWakeups, AWaitWithoutAPredicateMissesTheSignal) {
  Case run = waiting(Predicate::None);
  const std::vector<Finding> found = run.find(find_lost_wakeups);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, witness::FindingKind::LostWakeup);
  EXPECT_EQ(run.trace.events[found[0].places[0].event].kind, EventKind::Wait);
  EXPECT_EQ(found[0].places[0].role, Role::Wait);
  EXPECT_EQ(run.trace.events[found[0].places[1].event].kind, EventKind::Signal);
  EXPECT_EQ(found[0].places[1].role, Role::Signal);
}

TEST(LostWakeups, APredicateThatChangesOutsideTheMutexIsTestedTooEarly) {
  EXPECT_EQ(waiting(Predicate::Unlocked).find(find_lost_wakeups).size(), 1u);
}

TEST(LostWakeups, APredicateThatChangesUnderTheMutexIsSafe) {
  EXPECT_TRUE(waiting(Predicate::Locked).find(find_lost_wakeups).empty());
}

// Two threads wait for one broadcast. A thread that tests the flag too early has the mutex until it
// waits, and the other one needs the mutex to wake up.
Case two_waiting(Predicate predicate) {
  Case run(3);
  run.access(0, EventKind::AtomicWrite, Ready, 4, 0);
  run.fork(0, 1);
  run.fork(0, 2);
  for (const std::uint32_t t : {1u, 2u}) {
    run.lock(t, Mutex);
    run.access(t, EventKind::AtomicRead, Ready, 4, 0);
    run.add(t, EventKind::Wait, Condition, Mutex);
  }
  if (predicate == Predicate::Locked) run.lock(0, Mutex);
  run.access(0, EventKind::AtomicWrite, Ready, 4, 1);
  if (predicate == Predicate::Locked) run.unlock(0, Mutex);
  run.add(0, EventKind::Broadcast, Condition);
  for (const std::uint32_t t : {1u, 2u}) {
    run.add(t, EventKind::Wake, Condition, Mutex);
    run.access(t, EventKind::AtomicRead, Ready, 4, 1);
    run.unlock(t, Mutex);
  }
  run.join(0, 1);
  run.join(0, 2);
  return run;
}

TEST(LostWakeups, OneOfTwoWaitersMissesTheBroadcast) {
  Case run = two_waiting(Predicate::Unlocked);
  const std::vector<Finding> found = run.find(find_lost_wakeups);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(run.trace.events[found[0].witness.next.front()].kind, EventKind::Wake);
}

TEST(LostWakeups, NeitherOfTwoWaitersMissesABroadcastBehindAChangeUnderTheMutex) {
  Case run = two_waiting(Predicate::Locked);
  EXPECT_TRUE(run.find(find_lost_wakeups).empty());
  EXPECT_EQ(run.coverage.undecided, 0u);
}

// Thread 0 changes the flag under the mutex, and signals before or behind that.
Case signalling(bool too_early) {
  Case run(2);
  run.access(0, EventKind::Write, Ready, 4, 0);
  run.fork(0, 1);
  run.lock(1, Mutex);
  run.access(1, EventKind::Read, Ready, 4, 0);
  run.add(1, EventKind::Wait, Condition, Mutex);
  if (too_early) run.add(0, EventKind::Signal, Condition);
  run.lock(0, Mutex);
  run.access(0, EventKind::Write, Ready, 4, 1);
  run.unlock(0, Mutex);
  if (!too_early) run.add(0, EventKind::Signal, Condition);
  run.add(1, EventKind::Wake, Condition, Mutex);
  run.access(1, EventKind::Read, Ready, 4, 1);
  run.unlock(1, Mutex);
  run.join(0, 1);
  return run;
}

TEST(LostWakeups, ASignalBeforeTheChangeIsTooEarly) { EXPECT_EQ(signalling(true).find(find_lost_wakeups).size(), 1u); }

TEST(LostWakeups, ASignalBehindTheChangeIsSeen) {
  Case run = signalling(false);
  EXPECT_TRUE(run.find(find_lost_wakeups).empty());
  EXPECT_EQ(run.coverage.undecided, 0u);
}

TEST(LostWakeups, AWaitForATimeIsNotForEver) {
  EXPECT_TRUE(waiting(Predicate::None, trace::kFill).find(find_lost_wakeups).empty());
}

TEST(LostWakeups, AnotherSignalMayStillCome) {
  Case run = waiting(Predicate::None);
  run.add(0, EventKind::Signal, Condition); // after the join: thread 0 never comes here while thread 1 waits
  EXPECT_TRUE(run.find(find_lost_wakeups).empty());
}

TEST(LostWakeups, AThreadWhoseEndIsNotInTheTraceMightSignalAgain) {
  Case run(3);
  run.fork(0, 1);
  run.fork(0, 2);
  run.lock(1, Mutex);
  run.add(1, EventKind::Wait, Condition, Mutex);
  run.add(2, EventKind::Signal, Condition);
  run.add(1, EventKind::Wake, Condition, Mutex);
  run.unlock(1, Mutex);
  run.join(0, 1);
  EXPECT_TRUE(run.find(find_lost_wakeups).empty());
  EXPECT_EQ(run.coverage.undecided, 1u);
  run.join(0, 2);
  EXPECT_EQ(run.find(find_lost_wakeups).size(), 1u);
}

TEST(LostWakeups, SomebodyWhoNeedsTheWaiterMightSignalAgain) {
  // Thread 2 looks whether thread 1 went on. It did; had it not, nobody knows what thread 2 would
  // do.
  Case run(3);
  run.fork(0, 1);
  run.fork(0, 2);
  run.access(0, EventKind::AtomicWrite, Ready, 4, 0);
  run.lock(1, Mutex);
  run.add(1, EventKind::Wait, Condition, Mutex);
  run.add(0, EventKind::Signal, Condition);
  run.add(1, EventKind::Wake, Condition, Mutex);
  run.access(1, EventKind::AtomicWrite, Ready, 4, 1);
  run.unlock(1, Mutex);
  run.access(2, EventKind::AtomicRead, Ready, 4, 1);
  EXPECT_TRUE(run.find(find_lost_wakeups).empty());
}

} // namespace
} // namespace sooth::predict
