// The race engine: one finding for each pair of sites, each with a witness that the checker accepts.
#include <algorithm>

#include <gtest/gtest.h>

#include "predict/races/races.h"
#include "verify_builder.h"
#include "witness/check.h"

namespace sooth::predict {
namespace {

using trace::EventKind;
using trace::testing::TraceBuilder;
using witness::Finding;
using witness::Model;

constexpr std::uint64_t kX = 0x1000, kLock = 0x9000;

// `for_the_rest`: seconds for what only adds lines.
std::vector<Finding> races(const trace::Trace& t, Model model = Model::Maximal, Coverage* told = nullptr,
                           bool each = true, double for_the_rest = 1000) {
  const causality::Computation c = causality::compute(t);
  Limits limits;
  limits.jobs = 2;
  limits.each = each;
  limits.seconds_for_lines = for_the_rest;
  Coverage coverage;
  const auto feasibility = make_feasibility(c, model, limits);
  std::vector<Finding> found = find_races(t, c, *feasibility, model, limits, coverage);
  witness::Checker checker(t);
  for (const Finding& finding : found) EXPECT_EQ(checker.objection(finding).value_or(""), "");
  if (told != nullptr) *told = coverage;
  else EXPECT_EQ(coverage.undecided, 0u);
  return found;
}

TEST(Races, OneFindingForEachPairOfSitesWithItsCount) {
  TraceBuilder b(2);
  const std::uint32_t here = b.site("a.c", 1, "f", "x"), there = b.site("a.c", 2, "g", "x");
  for (int i = 0; i < 3; ++i) b.write(0, kX, 4, 1).site = here;
  for (int i = 0; i < 2; ++i) b.write(1, kX, 4, 1).site = there;
  const std::vector<Finding> found = races(b.trace);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].count, 6u);
}

// Rounds of two threads: exchange flag 0 -> 1, write x, store flag = 0. In the middle, thread 1
// does one thing wrong.
enum class Wrong { Nothing, TakesNothing, GivesNothing, StoresFree };
trace::Trace spin_lock(int rounds, Wrong wrong, bool initial = false) {
  TraceBuilder b(2);
  const std::uint32_t flag = b.site("a.c", 1, "f", "flag"), x = b.site("a.c", 2, "f", "x");
  if (initial) b.access(0, EventKind::AtomicWrite, kLock, 4, 0).site = flag;
  if (initial) b.add(0, EventKind::Fork, 0, 1);
  for (int i = 0; i < rounds; ++i) {
    const std::uint32_t t = static_cast<std::uint32_t>(i) % 2;
    const bool errs = t == 1 && i / 2 == rounds / 4;
    if (!errs || wrong != Wrong::TakesNothing) b.rmw(t, kLock, 4, 0, 1).site = flag;
    else b.access(t, EventKind::AtomicWrite, kLock, 4, 1).site = flag;
    if (errs && wrong == Wrong::StoresFree) b.access(1 - t, EventKind::AtomicWrite, kLock, 4, 0).site = flag;
    b.write(t, kX, 4, static_cast<std::uint64_t>(i)).site = x;
    if (!errs || wrong != Wrong::GivesNothing) b.access(t, EventKind::AtomicWrite, kLock, 4, 0).site = flag;
    else b.access(1 - t, EventKind::AtomicWrite, kLock, 4, 0).site = flag;
  }
  return b.trace;
}

TEST(Races, SectionsOfASpinLockNeverMeetHoweverManyThereAre) {
  for (const bool initial : {false, true}) {
    Coverage coverage;
    EXPECT_TRUE(races(spin_lock(600, Wrong::Nothing, initial), Model::Maximal, &coverage).empty());
    EXPECT_EQ(coverage.undecided, 0u);
    EXPECT_EQ(coverage.questions, 0u);
  }
}

TEST(Races, AFlagThatOthersGiveBackIsNoLock) {
  for (const Wrong wrong : {Wrong::TakesNothing, Wrong::GivesNothing, Wrong::StoresFree}) {
    Coverage coverage;
    EXPECT_EQ(races(spin_lock(8, wrong), Model::Maximal, &coverage).size(), 1u) << static_cast<int>(wrong);
  }
}

// Thread 0 writes x, and reads under a lock. Thread 1 reads under it, asks once more in vain, and
// writes x.
trace::Trace refused(EventKind again) {
  TraceBuilder b(2);
  b.write(0, kX, 4, 1).site = b.site("a.c", 1, "f", "x");
  b.add(0, EventKind::AcquireShared, kLock, trace::kLockReadWrite);
  b.add(0, EventKind::ReleaseShared, kLock, trace::kLockReadWrite);
  b.add(1, EventKind::AcquireShared, kLock, trace::kLockReadWrite);
  b.add(1, again, kLock, trace::kLockReadWrite, trace::kFailed);
  b.write(1, kX, 4, 2).site = b.site("a.c", 2, "g", "x");
  return b.trace;
}

TEST(Races, ARequestThatItsOwnThreadRefusesIsRefusedInEveryRun) {
  EXPECT_EQ(races(refused(EventKind::Acquire)).size(), 1u); // to write, while it reads
  // Why it may not read a second time, is not known: so what came before stays before.
  EXPECT_TRUE(races(refused(EventKind::AcquireShared)).empty());
}

// Twenty lines of f and twenty of g write x without a lock, and one line of each writes y.
trace::Trace flood() {
  TraceBuilder b(2);
  b.global(kX, 4, "x");
  b.global(kX + 8, 4, "y");
  for (std::uint32_t i = 0; i < 40; ++i)
    b.write(i % 2, kX, 4, i).site = b.site("a.c", i + 1, i % 2 == 0 ? "f" : "g", "x");
  for (std::uint32_t i = 0; i < 2; ++i) b.write(i, kX + 8, 4, i).site = b.site("b.c", i + 1, i == 0 ? "f" : "g", "y");
  return b.trace;
}

TEST(Races, OneOfAVariableAndItsFunctionsIsEnoughAndTheOthersOnlyAddLines) {
  const trace::Trace t = flood();
  Coverage coverage;
  const std::vector<Finding> each = races(t, Model::Maximal, &coverage);
  EXPECT_EQ(each.size(), 401u);
  EXPECT_EQ(std::ranges::count(each, true, &Finding::alike), 0);
  const std::vector<Finding> grouped = races(t, Model::Maximal, &coverage, false);
  EXPECT_EQ(grouped.size(), 401u);
  EXPECT_EQ(std::ranges::count(grouped, false, &Finding::alike), 2); // x, y
  EXPECT_EQ(coverage.alike, 0u);
  EXPECT_EQ(coverage.undecided, 0u);
}

TEST(Races, WithoutTimeForTheOthersTheyAreCountedAndTheAnswerStands) {
  const trace::Trace t = flood();
  Coverage coverage;
  const std::vector<Finding> found = races(t, Model::Maximal, &coverage, false, 0);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(coverage.alike, 399u);
  EXPECT_EQ(coverage.undecided, 0u);
}

TEST(Races, ACommonLockKeepsAccessesApart) {
  TraceBuilder b(2);
  for (const std::uint32_t t : {0u, 1u, 0u, 1u}) {
    b.add(t, EventKind::Acquire, kLock);
    b.write(t, kX, 4, t);
    b.add(t, EventKind::Release, kLock);
  }
  EXPECT_TRUE(races(b.trace).empty());
}

TEST(Races, AtomicsDoNotRaceWithEachOtherButWithPlainAccesses) {
  TraceBuilder atomic(2);
  atomic.access(1, EventKind::AtomicRead, kX, 4, 0);
  atomic.access(0, EventKind::AtomicWrite, kX, 4, 1);
  EXPECT_TRUE(races(atomic.trace).empty());
  TraceBuilder plain(2);
  plain.read(1, kX, 4, 0);
  plain.access(0, EventKind::AtomicWrite, kX, 4, 1);
  EXPECT_EQ(races(plain.trace).size(), 1u);
}

TEST(Races, PartialOverlapIsEnough) {
  TraceBuilder b(2);
  b.write(0, kX, 8, 0);
  b.write(1, kX + 6, 4, 0);
  EXPECT_EQ(races(b.trace).size(), 1u);
  TraceBuilder apart(2);
  apart.write(0, kX, 8, 0);
  apart.write(1, kX + 8, 4, 0);
  EXPECT_TRUE(races(apart.trace).empty());
}

TEST(Races, ForkAndJoinOrder) {
  TraceBuilder b(2);
  b.write(0, kX, 4, 1);
  b.add(0, EventKind::Fork, 0, 1);
  b.add(1, EventKind::ThreadStart);
  b.write(1, kX, 4, 2);
  b.add(1, EventKind::ThreadEnd);
  b.add(0, EventKind::Join, 0, 1);
  b.write(0, kX, 4, 3);
  EXPECT_TRUE(races(b.trace).empty());
}

// Taking turns under a mutex: the value that was read says that the other one is done.
TEST(Races, ValuesReadUnderAMutexOrder) {
  TraceBuilder b(2);
  b.write(0, kX, 4, 1);
  b.add(0, EventKind::Acquire, kLock);
  b.write(0, kX + 8, 4, 1);
  b.add(0, EventKind::Release, kLock);
  b.add(1, EventKind::Acquire, kLock);
  b.read(1, kX + 8, 4, 1);
  b.add(1, EventKind::Release, kLock);
  b.write(1, kX, 4, 2);
  EXPECT_TRUE(races(b.trace).empty());
}

TEST(Races, HiddenByUnrelatedCriticalSections) {
  TraceBuilder b(2);
  b.write(0, kX, 4, 1);
  b.add(0, EventKind::Acquire, kLock);
  b.add(0, EventKind::Release, kLock);
  b.add(1, EventKind::Acquire, kLock);
  b.add(1, EventKind::Release, kLock);
  b.write(1, kX, 4, 2);
  EXPECT_TRUE(races(b.trace, Model::HappensBefore).empty());
  EXPECT_EQ(races(b.trace, Model::HappensBeforeLocks).size(), 1u);
  EXPECT_EQ(races(b.trace).size(), 1u);
}

TEST(Races, MergedWritesAreNotReported) {
  TraceBuilder b(2);
  b.access(0, EventKind::Write, kX, 4, 1, trace::kHeld).site = b.site("a.c", 1, "f", "x");
  b.access(0, EventKind::Write, kX, 4, 2, trace::kMerged);
  b.read(1, kX, 4, 2).site = b.site("a.c", 2, "g", "x");
  const std::vector<Finding> found = races(b.trace);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].places[0].event, 0u);
}

// The end of a segment tells the last values of what the thread wrote again and again. If nobody else touches that, it belongs to
// the step before it, which is an access like any other.
TEST(Races, MergedWritesOfOwnMemoryHideNothing) {
  constexpr std::uint64_t kOwn = kX + 64;
  TraceBuilder b(2);
  b.access(0, EventKind::Write, kOwn, 4, 1, trace::kHeld);
  b.write(0, kX, 4, 1);
  b.access(0, EventKind::Write, kOwn, 4, 2, trace::kMerged);
  b.write(1, kX, 4, 2);
  EXPECT_EQ(races(b.trace).size(), 1u);
}

TEST(Races, ARunThatWasRecordedIsObserved) {
  TraceBuilder b(2);
  b.write(0, kX, 4, 1);
  b.write(1, kX, 4, 2);
  ASSERT_EQ(races(b.trace).size(), 1u);
  EXPECT_EQ(races(b.trace)[0].status, witness::Status::Observed);
}

} // namespace
} // namespace sooth::predict
