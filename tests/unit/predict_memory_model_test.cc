// Races of the recorded run by the C++ memory model: message passing in all memory orders, fences, release sequences,
// and the primitives that order threads. Pairs of nearly equal traces, one with the race and one without.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "predict/races/memory_model.h"
#include "trace/verify.h"
#include "unit/verify_builder.h"
#include "witness/check.h"
#include "witness/cxx_order.h"

namespace sooth::predict {
namespace {

using trace::Event;
using trace::EventKind;
using trace::MemoryOrder;
using trace::testing::TraceBuilder;
using witness::Finding;

constexpr std::uint64_t kData = 0x1000;
constexpr std::uint64_t kFlag = 0x2000;
constexpr std::uint64_t kLock = 0x3000;

class Recorded : public TraceBuilder {
public:
  using TraceBuilder::TraceBuilder;

  void store(std::uint32_t thread, std::uint64_t value, MemoryOrder order) {
    access(thread, EventKind::AtomicWrite, kFlag, 4, value).order = order;
  }
  void load(std::uint32_t thread, std::uint64_t value, MemoryOrder order) {
    access(thread, EventKind::AtomicRead, kFlag, 4, value).order = order;
  }
  void exchange(std::uint32_t thread, std::uint64_t seen, std::uint64_t written, MemoryOrder order) {
    rmw(thread, kFlag, 4, seen, written).order = order;
  }
  void fork_both() {
    for (const std::uint32_t child : {1u, 2u}) {
      add(0, EventKind::Fork, 0, child);
      add(child, EventKind::ThreadStart, 0, 0);
    }
  }
  void fence(std::uint32_t thread, MemoryOrder order) { add(thread, EventKind::Fence).order = order; }

  std::vector<Finding> races() {
    const auto report = trace::verify(trace);
    EXPECT_TRUE(report.legal());
    std::vector<Finding> found = find_memory_model_races(trace, coverage);
    witness::Checker checker(trace);
    for (const Finding& finding : found) EXPECT_EQ(checker.objection(finding).value_or(""), "");
    return found;
  }
  Coverage coverage;
};

// data = 1; flag.store(1, how) || flag.load(how) == 1; read data
std::size_t message(MemoryOrder store, MemoryOrder load) {
  Recorded run(2);
  run.write(0, kData, 4, 1);
  run.store(0, 1, store);
  run.load(1, 1, load);
  run.read(1, kData, 4, 1);
  return run.races().size();
}

TEST(MemoryModel, MessagePassingNeedsReleaseAndAcquire) {
  using enum MemoryOrder;
  for (const MemoryOrder store : {Release, SeqCst})
    for (const MemoryOrder load : {Acquire, Consume, SeqCst}) EXPECT_EQ(message(store, load), 0u);
  EXPECT_EQ(message(Relaxed, Acquire), 1u);
  EXPECT_EQ(message(Release, Relaxed), 1u);
  EXPECT_EQ(message(Relaxed, Relaxed), 1u);
}

TEST(MemoryModel, TheFindingIsObservedUpToTheSecondAccess) {
  Recorded run(2);
  run.write(0, kData, 4, 1);
  run.store(0, 1, MemoryOrder::Relaxed);
  run.load(1, 1, MemoryOrder::Relaxed);
  run.read(1, kData, 4, 1);
  run.read(1, kData, 4, 1);
  const std::vector<Finding> races = run.races();
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].kind, witness::FindingKind::Race);
  EXPECT_EQ(races[0].status, witness::Status::Observed);
  EXPECT_EQ(races[0].engine, "memory-model");
  ASSERT_EQ(races[0].places.size(), 2u);
  EXPECT_EQ(races[0].places[0].event, 0u);
  EXPECT_EQ(races[0].places[1].event, 3u);
  EXPECT_EQ(races[0].witness.observed, 4u);
  EXPECT_TRUE(races[0].witness.steps.empty());
  EXPECT_EQ(races[0].count, 2u) << "the same pair of sites twice";
}

// data = 1; fence(first); flag = 1 || flag == 1; fence(second); read data
std::size_t fenced(MemoryOrder first, MemoryOrder second) {
  Recorded run(2);
  run.write(0, kData, 4, 1);
  run.fence(0, first);
  run.store(0, 1, MemoryOrder::Relaxed);
  run.load(1, 1, MemoryOrder::Relaxed);
  run.fence(1, second);
  run.read(1, kData, 4, 1);
  return run.races().size();
}

// An unlock that failed (of a mutex that checks for errors, by another thread) releases nothing;
// the checker has to agree.
TEST(MemoryModel, AReleaseThatFailedOrdersNothing) {
  for (const bool failed : {false, true}) {
    Recorded run(2);
    if (!failed) run.add(0, EventKind::Acquire, 0x9000);
    run.write(0, kData, 4, 1);
    run.add(0, EventKind::Release, 0x9000).flags = failed ? trace::kFailed : 0;
    run.add(1, EventKind::Acquire, 0x9000);
    run.read(1, kData, 4, 1);
    EXPECT_EQ(run.races().size(), failed ? 1u : 0u);
  }
}

TEST(MemoryModel, FencesOrderThroughRelaxedAccesses) {
  using enum MemoryOrder;
  EXPECT_EQ(fenced(Release, Acquire), 0u);
  EXPECT_EQ(fenced(AcqRel, AcqRel), 0u);
  EXPECT_EQ(fenced(SeqCst, SeqCst), 0u);
  EXPECT_EQ(fenced(Acquire, Acquire), 1u);
  EXPECT_EQ(fenced(Release, Release), 1u);
}

TEST(MemoryModel, AFenceAfterTheStoreOrBeforeTheLoadOrdersNothing) {
  Recorded late(2);
  late.write(0, kData, 4, 1);
  late.store(0, 1, MemoryOrder::Relaxed);
  late.fence(0, MemoryOrder::Release);
  late.load(1, 1, MemoryOrder::Acquire);
  late.read(1, kData, 4, 1);
  EXPECT_EQ(late.races().size(), 1u);

  Recorded early(2);
  early.write(0, kData, 4, 1);
  early.store(0, 1, MemoryOrder::Release);
  early.fence(1, MemoryOrder::Acquire);
  early.load(1, 1, MemoryOrder::Relaxed);
  early.read(1, kData, 4, 1);
  EXPECT_EQ(early.races().size(), 1u);
}

TEST(MemoryModel, AWriteAfterTheFenceIsNotInIt) {
  Recorded run(2);
  run.fence(0, MemoryOrder::Release);
  run.write(0, kData, 4, 1);
  run.store(0, 1, MemoryOrder::Relaxed);
  run.load(1, 1, MemoryOrder::Acquire);
  run.read(1, kData, 4, 1);
  EXPECT_EQ(run.races().size(), 1u);
}

TEST(MemoryModel, ReadModifyWritesGoOnWithAReleaseSequence) {
  Recorded run(3);
  run.write(0, kData, 4, 1);
  run.store(0, 1, MemoryOrder::Release);
  run.exchange(1, 1, 2, MemoryOrder::Relaxed);
  run.load(2, 2, MemoryOrder::Acquire);
  run.read(2, kData, 4, 1);
  EXPECT_EQ(run.races().size(), 0u);
}

TEST(MemoryModel, ARelaxedStoreEndsAReleaseSequenceEvenInTheSameThread) {
  for (const std::uint32_t storing : {0u, 1u}) { // C++20 has no exception for the same thread
    Recorded run(3);
    run.write(0, kData, 4, 1);
    run.store(0, 1, MemoryOrder::Release);
    run.store(storing, 2, MemoryOrder::Relaxed);
    run.load(2, 2, MemoryOrder::Acquire);
    run.read(2, kData, 4, 1);
    EXPECT_EQ(run.races().size(), 1u);
  }
}

TEST(MemoryModel, AnAcquireReadsOnlyTheLastStore) {
  Recorded run(3);
  run.write(0, kData, 4, 1);
  run.store(0, 1, MemoryOrder::Release);
  run.store(1, 2, MemoryOrder::Release);
  run.load(2, 2, MemoryOrder::Acquire);
  run.read(2, kData, 4, 1);
  EXPECT_EQ(run.races().size(), 1u);
}

TEST(MemoryModel, AtomicAccessesDoNotRaceWithEachOtherButWithPlainOnes) {
  Recorded both(2);
  both.store(0, 1, MemoryOrder::Relaxed);
  both.store(1, 2, MemoryOrder::Relaxed);
  EXPECT_EQ(both.races().size(), 0u);

  Recorded mixed(2);
  mixed.store(0, 1, MemoryOrder::SeqCst);
  mixed.write(1, kFlag, 4, 2);
  EXPECT_EQ(mixed.races().size(), 1u);
}

TEST(MemoryModel, APlainWriteIsFoundBehindAtomicOnes) {
  Recorded run(2);
  run.write(0, kFlag, 4, 1);
  run.store(0, 2, MemoryOrder::Relaxed); // must not hide the plain write from the atomic read
  run.load(1, 2, MemoryOrder::Relaxed);
  EXPECT_EQ(run.races().size(), 1u);
}

TEST(MemoryModel, VolatileOrdersNothing) {
  Recorded run(2);
  run.write(0, kData, 4, 1);
  run.write(0, kFlag, 4, 1).flags |= trace::kVolatile;
  run.read(1, kFlag, 4, 1).flags |= trace::kVolatile;
  run.read(1, kData, 4, 1);
  EXPECT_EQ(run.races().size(), 2u);
}

TEST(MemoryModel, BytesThatDoNotOverlapDoNotRace) {
  Recorded apart(2);
  apart.write(0, kData, 1, 1);
  apart.write(1, kData + 1, 1, 1);
  apart.write(1, kData + 7, 4, 1);
  EXPECT_EQ(apart.races().size(), 0u);

  Recorded across(2);
  across.write(0, kData + 6, 4, 1); // over the edge of the granule
  across.write(1, kData + 8, 1, 1);
  EXPECT_EQ(across.races().size(), 1u);
}

TEST(MemoryModel, MergedWritesAreNoEventsOfARace) {
  Recorded run(2);
  run.write(0, kData, 4, 1).flags |= trace::kHeld;
  run.write(0, kData, 4, 2).flags |= trace::kMerged;
  run.read(1, kData, 4, 2);
  const std::vector<Finding> races = run.races();
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].places[0].event, 0u);
}

TEST(MemoryModel, LocksOrderInTheirOrder) {
  Recorded run(2);
  run.add(0, EventKind::Acquire, kLock);
  run.write(0, kData, 4, 1);
  run.add(0, EventKind::Release, kLock);
  run.add(1, EventKind::Acquire, kLock);
  run.write(1, kData, 4, 2);
  run.add(1, EventKind::Release, kLock);
  EXPECT_EQ(run.races().size(), 0u);
  run.write(0, kData, 4, 3); // after thread 1's critical section, which nothing orders before it
  EXPECT_EQ(run.races().size(), 1u);
}

TEST(MemoryModel, AFailedTryOrdersNothing) {
  Recorded run(2);
  run.add(0, EventKind::Acquire, kLock);
  run.write(0, kData, 4, 1);
  run.add(1, EventKind::Acquire, kLock, trace::kLockTry, trace::kFailed);
  run.read(1, kData, 4, 1);
  EXPECT_EQ(run.races().size(), 1u);
}

TEST(MemoryModel, ReadersAreBeforeTheWriterAndNotBeforeReaders) {
  const auto with = [](EventKind second_acquire, EventKind second_release) {
    Recorded run(2);
    run.add(0, EventKind::AcquireShared, kLock, trace::kLockReadWrite);
    run.write(0, kData, 4, 1);
    run.add(0, EventKind::ReleaseShared, kLock, trace::kLockReadWrite);
    run.add(1, second_acquire, kLock, trace::kLockReadWrite);
    run.write(1, kData, 4, 2);
    run.add(1, second_release, kLock, trace::kLockReadWrite);
    return run.races().size();
  };
  EXPECT_EQ(with(EventKind::Acquire, EventKind::Release), 0u);
  EXPECT_EQ(with(EventKind::AcquireShared, EventKind::ReleaseShared), 1u);
}

TEST(MemoryModel, ForkAndJoinOrder) {
  const auto with = [](bool joined) {
    Recorded run(2);
    run.write(0, kData, 4, 1);
    run.add(0, EventKind::Fork, 0, 1);
    run.add(1, EventKind::ThreadStart, 0, 0);
    run.write(1, kData, 4, 2);
    run.add(1, EventKind::ThreadEnd);
    if (joined) run.add(0, EventKind::Join, 0, 1);
    run.write(0, kData, 4, 3);
    return run.races().size();
  };
  EXPECT_EQ(with(true), 0u);
  EXPECT_EQ(with(false), 1u);
}

TEST(MemoryModel, ABarrierOrdersItsOwnRound) {
  Recorded run(2);
  constexpr std::uint64_t kBarrier = 0x4000;
  run.add(0, EventKind::BarrierInit, kBarrier, 2);
  run.write(0, kData, 4, 1);
  run.add(0, EventKind::BarrierArrive, kBarrier);
  run.add(1, EventKind::BarrierArrive, kBarrier);
  run.add(1, EventKind::BarrierLeave, kBarrier);
  run.write(1, kData, 4, 2);
  run.add(1, EventKind::BarrierArrive, kBarrier); // the next round, before thread 0 has left this one
  run.add(0, EventKind::BarrierLeave, kBarrier);
  EXPECT_EQ(run.races().size(), 0u);
  run.write(0, kData, 4, 3);
  EXPECT_EQ(run.races().size(), 1u);
}

TEST(MemoryModel, ConditionsSemaphoresOnceAndAnnotationsOrder) {
  const auto tagged = [](EventKind release, EventKind acquire) {
    Recorded run(2);
    if (release == EventKind::OnceEnd) run.add(0, EventKind::OnceBegin, kLock);
    run.write(0, kData, 4, 1);
    run.add(0, release, kLock);
    run.add(1, acquire, kLock);
    run.read(1, kData, 4, 1);
    return run.races().size();
  };
  EXPECT_EQ(tagged(EventKind::SemPost, EventKind::SemWait), 0u);
  EXPECT_EQ(tagged(EventKind::OnceEnd, EventKind::OnceWait), 0u);
  EXPECT_EQ(tagged(EventKind::HbRelease, EventKind::HbAcquire), 0u);
  EXPECT_EQ(tagged(EventKind::FutexWake, EventKind::FutexWait), 0u);
  EXPECT_EQ(tagged(EventKind::HbAcquire, EventKind::HbRelease), 1u) << "the wrong way round";
}

TEST(MemoryModel, AnAtomicReadOfWhatNobodyRecordedComesAfterEverything) {
  const auto found_by = [](EventKind kind) {
    Recorded run(3);
    run.write(0, kData, 4, 1);
    run.access(1, EventKind::ExternalWrite, kLock, 4, 1);
    run.access(1, kind, kLock, 4, 1);
    if (kind == EventKind::AtomicRead) run.trace.events.back().order = MemoryOrder::Acquire;
    run.read(1, kData, 4, 1);
    return run.races().size();
  };
  EXPECT_EQ(found_by(EventKind::AtomicRead), 0u);
  EXPECT_EQ(found_by(EventKind::Read), 1u) << "code without hooks changes much; only atomics are there for others";
}

TEST(MemoryModel, SaysNothingAboutRunsWithUnrecordedSynchronisation) {
  Recorded run(2);
  run.write(0, kData, 4, 1);
  run.read(1, kData, 4, 1);
  run.trace.process.unsupported = {{"SOOTH_WATCH of more than 4096 objects", 1}};
  EXPECT_EQ(run.races().size(), 1u);
  run.trace.process.unsupported = {{"semop", 2}};
  EXPECT_EQ(run.races().size(), 0u);
  EXPECT_EQ(run.coverage.undecided, 1u);
  run.trace.process.unsupported = {};
  run.trace.process.plain_libraries = {"/usr/lib/libz.so.1", "/usr/lib/libompound.so.1"};
  EXPECT_EQ(run.races().size(), 1u) << "libraries that are not known to order threads";
  run.trace.process.plain_libraries.emplace_back("/usr/lib/llvm/libomp.so.5");
  EXPECT_EQ(run.races().size(), 0u);
}

// A run of three threads: plain and atomic accesses in all orders, fences, a mutex and a read-write lock.
Recorded random_run(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  using enum MemoryOrder;
  const MemoryOrder loads[] = {Relaxed, Consume, Acquire, SeqCst}, stores[] = {Relaxed, Release, SeqCst},
                    both[] = {Relaxed, Acquire, Release, AcqRel, SeqCst};
  Recorded run(3);
  std::uint64_t flag = 0, data[2] = {0, 0}, next = 1;
  std::uint32_t owner = 3;
  std::vector<std::uint32_t> shares(3, 0);
  run.write(0, kFlag, 4, 0);
  run.write(0, kData, 4, 0);
  run.write(0, kData + 4, 4, 0);
  run.fork_both();
  const std::uint32_t length = 8 + below(20);
  for (std::uint32_t i = 0; i < length; ++i) {
    const std::uint32_t t = below(3), which = below(2);
    switch (below(10)) {
    case 0: run.read(t, kData + 4 * which, 4, data[which]); break;
    case 1:
      data[which] = next++;
      run.write(t, kData + 4 * which, 4, data[which]);
      break;
    case 2: run.load(t, flag, loads[below(4)]); break;
    case 3: run.store(t, flag = next++, stores[below(3)]); break;
    case 4:
      run.exchange(t, flag, next, both[below(5)]);
      flag = next++;
      break;
    case 5: run.fence(t, both[1 + below(4)]); break;
    case 6:
      if (owner == t) {
        run.add(t, EventKind::Release, kLock, trace::kLockReadWrite);
        owner = 3;
      } else if (owner == 3 && shares[0] + shares[1] + shares[2] == 0) {
        run.add(t, EventKind::Acquire, kLock, trace::kLockReadWrite);
        owner = t;
      }
      break;
    case 7:
      if (shares[t] != 0) run.add(t, EventKind::ReleaseShared, kLock, trace::kLockReadWrite);
      else if (owner == 3) run.add(t, EventKind::AcquireShared, kLock, trace::kLockReadWrite);
      else break;
      shares[t] ^= 1;
      break;
    case 8: run.add(t, EventKind::HbRelease, 0x5000); break;
    default: run.add(t, EventKind::HbAcquire, 0x5000); break;
    }
  }
  return run;
}

// The definition: some pair of conflicting accesses, not both atomic, is not ordered. The checker's own order decides.
TEST(MemoryModel, FindsARaceOnEveryVariableThatHasOne) {
  int with = 0, without = 0;
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Recorded run = random_run(seed);
    const auto& events = run.trace.events;
    std::set<std::uint64_t> expected, found;
    for (std::uint32_t j = 0; j < events.size(); ++j)
      for (std::uint32_t i = 0; i < j; ++i) {
        const Event &a = events[i], &b = events[j];
        const auto plain = [](const Event& e) { return e.kind == EventKind::Read || e.kind == EventKind::Write; };
        if (a.size == 0 || b.size == 0 || a.address != b.address || a.thread == b.thread) continue;
        if (!trace::writes_memory(a.kind) && !trace::writes_memory(b.kind)) continue;
        if ((plain(a) || plain(b)) && !witness::checking::happens_before(run.trace, i, j)) expected.insert(a.address);
      }
    for (const Finding& finding : run.races()) found.insert(events[finding.places[0].event].address);
    ASSERT_EQ(found, expected);
    (expected.empty() ? without : with) += 1;
  }
  EXPECT_GT(with, 100);
  EXPECT_GT(without, 20);
}

// A few accesses of a page are followed as they are, many by what they touch; both see every race, and no other.
TEST(MemoryModel, FewAndManyAccessesOfOnePage) {
  for (const std::uint64_t variables : {1u, 5u, 16u, 17u, 100u}) {
    Recorded run(2);
    for (std::uint64_t i = 0; i < variables; ++i) run.write(0, kData + 16 * i + 4, 4, i);
    for (std::uint64_t i = 0; i < variables; ++i) {
      run.read(1, kData + 16 * i, 4, 0);           // beside it
      run.read(1, kData + 16 * i + 6, 2, i >> 16); // a part of it
    }
    EXPECT_EQ(run.races().size(), variables);
  }
}

// The second write takes the place of the first one, and only for the bytes that it covers.
TEST(MemoryModel, WhatIsOverwrittenInPart) {
  Recorded run(2);
  run.write(0, kData, 8, 1);
  run.write(0, kData + 2, 4, 2);
  run.read(1, kData, 2, 1);     // races with the first
  run.read(1, kData + 2, 4, 2); // ... with the second
  run.read(1, kData + 6, 2, 0); // ... with the first
  std::set<std::uint32_t> firsts;
  for (const Finding& finding : run.races()) firsts.insert(finding.places.at(0).event);
  EXPECT_EQ(firsts, (std::set<std::uint32_t>{0, 1}));
}

TEST(MemoryModel, RacesThatTheProgramAnnotatesAsBenignAreNotReported) {
  for (const std::uint64_t bytes : {0u, 1u, 4u}) {
    Recorded run(2);
    run.add(0, EventKind::Watch, kData, bytes).flags |= trace::kFill;
    run.write(0, kData, 4, 1);
    run.write(0, kData + 4, 4, 1);
    run.read(1, kData, 4, 1);
    run.read(1, kData + 4, 4, 1);
    const auto found = run.races();
    ASSERT_EQ(found.size(), bytes == 0 ? 2u : 1u);
    EXPECT_EQ(run.trace.events[found.back().places.at(0).event].address, kData + 4);
  }
}

// Input may answer any output, whatever address an importer gives to the world outside.
TEST(MemoryModel, TheWorldOutsideIsOne) {
  for (const bool answered : {true, false}) {
    Recorded run(3);
    run.fork_both();
    run.write(1, kData, 4, 1);
    if (answered) run.add(1, EventKind::Send, 0x9000);
    run.add(2, EventKind::Receive, 0x9040);
    run.write(2, kData, 4, 2);
    EXPECT_EQ(run.races().size(), answered ? 0u : 1u);
  }
}

} // namespace
} // namespace sooth::predict
