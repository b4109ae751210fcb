// Deadlocks on hand-made traces, in pairs: one that can happen and nearly the same one that cannot.
#include <gtest/gtest.h>

#include <algorithm>

#include "predict/deadlocks/circles.h"
#include "predict/deadlocks/deadlocks.h"
#include "predict/deadlocks/lock_graph.h"
#include "predict/deadlocks/requests.h"
#include "unit/predict_case.h"

namespace sooth::predict {
namespace {

using testing::Case;
using trace::EventKind;
using witness::Finding;
using witness::Role;

constexpr std::uint64_t A = 0x1000, B = 0x1100, C = 0x1200, D = 0x1300, X = 0x2000, Condition = 0x3000;

void nested(Case& run, std::uint32_t thread, std::vector<std::uint64_t> locks) {
  for (const std::uint64_t lock : locks) run.lock(thread, lock);
  for (auto it = locks.rbegin(); it != locks.rend(); ++it) run.unlock(thread, *it);
}

TEST(Deadlocks, TwoLocksInOppositeOrder) {
  Case run(2);
  nested(run, 0, {A, B});
  nested(run, 1, {B, A});
  const std::vector<Finding> found = run.find(find_deadlocks);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, witness::FindingKind::Deadlock);
  EXPECT_EQ(found[0].status, witness::Status::Predicted);
  const std::vector<witness::Place> places = {{1, Role::Request}, {5, Role::Request}, {4, Role::Hold}, {0, Role::Hold}};
  EXPECT_EQ(found[0].places, places);
}

TEST(Deadlocks, TwoLocksInTheSameOrder) {
  Case run(2);
  nested(run, 0, {A, B});
  nested(run, 1, {A, B});
  EXPECT_TRUE(run.find(find_deadlocks).empty());
}

TEST(Deadlocks, AGateLockKeepsThemApart) {
  Case run(2);
  nested(run, 0, {C, A, B});
  nested(run, 1, {C, B, A});
  EXPECT_TRUE(run.find(find_deadlocks).empty());
}

TEST(Deadlocks, AGateOfReadersIsNone) {
  Case run(2);
  run.lock_shared(0, C);
  nested(run, 0, {A, B});
  run.unlock_shared(0, C);
  run.lock_shared(1, C);
  nested(run, 1, {B, A});
  run.unlock_shared(1, C);
  EXPECT_EQ(run.find(find_deadlocks).size(), 1u);
}

TEST(Deadlocks, OneThreadAlone) {
  Case run(2);
  nested(run, 0, {A, B});
  nested(run, 0, {B, A});
  nested(run, 1, {A});
  EXPECT_TRUE(run.find(find_deadlocks).empty());
}

TEST(Deadlocks, CirclesOfThreeAndFour) {
  Case three(3);
  nested(three, 0, {A, B});
  nested(three, 1, {B, C});
  nested(three, 2, {C, A});
  const std::vector<Finding> found = three.find(find_deadlocks);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].witness.next.size(), 3u);

  Case four(4);
  nested(four, 0, {A, B});
  nested(four, 1, {B, C});
  nested(four, 2, {C, D});
  nested(four, 3, {D, A});
  EXPECT_EQ(four.find(find_deadlocks).size(), 1u);

  Case open(4);
  nested(open, 0, {A, B});
  nested(open, 1, {B, C});
  nested(open, 2, {C, D});
  nested(open, 3, {A, D});
  EXPECT_TRUE(open.find(find_deadlocks).empty());
}

TEST(Deadlocks, OrderedByCreationOrJoin) {
  Case created(2);
  nested(created, 0, {A, B});
  created.fork(0, 1);
  nested(created, 1, {B, A});
  EXPECT_TRUE(created.find(find_deadlocks).empty());

  Case joined(3);
  joined.fork(0, 1);
  nested(joined, 1, {A, B});
  joined.join(0, 1);
  joined.fork(0, 2);
  nested(joined, 2, {B, A});
  EXPECT_TRUE(joined.find(find_deadlocks).empty());

  Case together(3);
  together.fork(0, 1);
  nested(together, 1, {A, B});
  together.fork(0, 2);
  nested(together, 2, {B, A});
  EXPECT_EQ(together.find(find_deadlocks).size(), 1u);
}

TEST(Deadlocks, OrderedByValues) {
  const auto with = [](std::uint64_t seen) {
    Case run(2);
    run.write(0, X, 4, 0);
    run.fork(0, 1);
    nested(run, 0, {A, B});
    run.access(0, EventKind::AtomicWrite, X, 4, seen);
    run.access(1, EventKind::AtomicRead, X, 4, seen);
    nested(run, 1, {B, A});
    return run.find(find_deadlocks).size();
  };
  EXPECT_EQ(with(1), 0u) << "only the first thread's write explains what the second one saw";
  EXPECT_EQ(with(0), 1u) << "it would have seen the same before";
}

TEST(Deadlocks, TriesAndTimedRequestsDoNotBlockButHold) {
  const auto with = [](std::uint64_t inner, std::uint64_t outer) {
    Case run(2);
    nested(run, 0, {A, B});
    run.lock(1, B, outer);
    run.lock(1, A, inner);
    run.unlock(1, A);
    run.unlock(1, B);
    return run.find(find_deadlocks).size();
  };
  EXPECT_EQ(with(trace::kLockTry, 0), 0u);
  EXPECT_EQ(with(trace::kLockTimed, 0), 0u);
  EXPECT_EQ(with(0, trace::kLockTry), 1u);
}

TEST(Deadlocks, RecursiveLocksAskOnce) {
  Case run(2);
  run.lock(0, A, trace::kLockRecursive);
  run.lock(0, B);
  run.lock(0, A, trace::kLockRecursive); // has it already: no request
  run.unlock(0, A, trace::kLockRecursive);
  run.unlock(0, B);
  run.unlock(0, A, trace::kLockRecursive);
  nested(run, 1, {A, B});
  EXPECT_TRUE(run.find(find_deadlocks).empty());
}

TEST(Deadlocks, StillHeldAfterTheInnerUnlockOfARecursiveLock) {
  Case run(2);
  run.lock(0, A, trace::kLockRecursive);
  run.lock(0, A, trace::kLockRecursive);
  run.unlock(0, A, trace::kLockRecursive);
  run.lock(0, B);
  run.unlock(0, B);
  run.unlock(0, A, trace::kLockRecursive);
  nested(run, 1, {B, A});
  EXPECT_EQ(run.find(find_deadlocks).size(), 1u);
}

TEST(Deadlocks, ReadersDoNotBlockReaders) {
  const auto with = [](bool first_writes, bool second_writes) {
    Case run(2);
    run.lock_shared(0, A);
    first_writes ? run.lock(0, B, trace::kLockReadWrite) : run.lock_shared(0, B);
    first_writes ? run.unlock(0, B) : run.unlock_shared(0, B);
    run.unlock_shared(0, A);
    run.lock_shared(1, B);
    second_writes ? run.lock(1, A, trace::kLockReadWrite) : run.lock_shared(1, A);
    second_writes ? run.unlock(1, A) : run.unlock_shared(1, A);
    run.unlock_shared(1, B);
    return run.find(find_deadlocks).size();
  };
  EXPECT_EQ(with(false, false), 0u);
  EXPECT_EQ(with(true, false), 0u);
  EXPECT_EQ(with(true, true), 1u);
}

TEST(Deadlocks, AWaitingWriterBlocksReadersOnlyIfTheLockPrefersWriters) {
  const auto with = [](std::uint64_t type) {
    Case run(2);
    run.lock_shared(0, A, type);
    run.lock_shared(0, B, type);
    run.lock_shared(0, A, type); // the second hold of the same reader: none of the circle's business
    run.unlock_shared(0, A, type);
    run.unlock_shared(0, B, type);
    run.unlock_shared(0, A, type);
    run.lock(1, B, type);
    run.lock(1, A, type); // waits for the reader, who waits for B
    run.unlock(1, A, type);
    run.unlock(1, B, type);
    return run.find(find_deadlocks).size();
  };
  EXPECT_EQ(with(trace::kLockReadWrite), 1u);

  // 0 reads A and wants to read B; 1 reads B; 2 waits to write B, and is in the way; 1 wants to write A.
  const auto queue = [](std::uint64_t type) {
    Case run(3);
    run.lock_shared(0, A, type);
    run.lock_shared(0, B, type);
    run.unlock_shared(0, B, type);
    run.unlock_shared(0, A, type);
    run.lock_shared(1, B, type);
    run.lock(1, A, type);
    run.unlock(1, A, type);
    run.unlock_shared(1, B, type);
    run.lock(2, B, type);
    run.unlock(2, B, type);
    return run.find(find_deadlocks).size();
  };
  EXPECT_EQ(queue(trace::kLockReadWrite), 0u);
  EXPECT_EQ(queue(trace::kLockReadWrite | trace::kLockPreferWriter), 1u);
}

TEST(Deadlocks, JoiningWithALockThatTheChildWants) {
  const auto with = [](bool held) {
    Case run(2);
    run.fork(0, 1);
    run.lock(1, A);
    run.unlock(1, A);
    run.add(1, EventKind::ThreadEnd);
    if (held) run.lock(0, A);
    run.add(0, EventKind::Join, 0, 1);
    if (!held) run.lock(0, A);
    run.unlock(0, A);
    return run.find(find_deadlocks);
  };
  EXPECT_EQ(with(true).size(), 1u);
  EXPECT_TRUE(with(false).empty());
}

TEST(Deadlocks, AWaitThatHoldsAnotherLockWantsItsMutexAgain) {
  const auto with = [](bool outer) {
    Case run(3);
    if (outer) run.lock(0, A);
    run.lock(0, B);
    run.add(0, EventKind::Wait, Condition, B);
    run.add(2, EventKind::Signal, Condition);
    run.add(0, EventKind::Wake, Condition, B);
    run.unlock(0, B);
    if (outer) run.unlock(0, A);
    nested(run, 1, {B, A});
    return run.find(find_deadlocks).size();
  };
  // Both the first request for B and the one after the wait can meet the other thread.
  EXPECT_EQ(with(true), 1u);
  EXPECT_EQ(with(false), 0u);
}

TEST(Deadlocks, OneFindingForEachCircleOfSites) {
  Case run(3);
  const std::uint32_t inner = run.site("a.c", 3, "f", "B"), other = run.site("a.c", 9, "g", "A");
  const auto nest = [&](std::uint32_t thread, std::uint64_t first, std::uint64_t second, std::uint32_t site) {
    run.lock(thread, first);
    run.lock(thread, second);
    run.trace.events.back().site = site;
    run.unlock(thread, second);
    run.unlock(thread, first);
  };
  for (int i = 0; i < 3; ++i) {
    nest(0, A, B, inner);
    nest(1, B, A, other);
    nest(2, B, A, other);
  }
  EXPECT_EQ(run.find(find_deadlocks).size(), 1u);
}

// --- many threads, many locks --------------------------------------------------------------------------------------

// Lock and unlock at two places of the source, whichever thread it is.
class Sited : public Case {
public:
  using Case::Case;
  void nested(std::uint32_t thread, std::uint64_t outer, std::uint64_t inner, std::uint32_t place) {
    lock(thread, outer);
    trace.events.back().site = place;
    lock(thread, inner);
    trace.events.back().site = place + 1;
    unlock(thread, inner);
    unlock(thread, outer);
  }
  void add_sites(int count) {
    for (int i = 0; i < count; ++i) site("a.c", i + 1, "f", "m");
  }
};

TEST(Deadlocks, AnInversionBehindAcyclicLocking) {
  // Eight threads, each holding the locks of a long ladder, always upwards: more paths than anybody walks, and no circle. Two of
  // the locks are also taken the other way round, by others.
  const auto with = [](bool inverted) {
    Case run(10);
    constexpr std::uint64_t kLocks = 24;
    const auto lock = [](std::uint64_t i) { return 0x10000 + 0x100 * i; };
    for (std::uint32_t thread = 0; thread < 8; ++thread)
      for (std::uint64_t i = 0; i < kLocks; ++i)
        for (std::uint64_t j = i + 1; j < kLocks; ++j) nested(run, thread, {lock(i), lock(j)});
    nested(run, 8, {A, B});
    nested(run, 9, inverted ? std::vector<std::uint64_t>{B, A} : std::vector<std::uint64_t>{A, B});
    const std::size_t found = run.find(find_deadlocks).size();
    EXPECT_EQ(run.coverage.undecided, 0u);
    EXPECT_EQ(run.coverage.candidates, inverted ? 1u : 0u) << "the ladder is no part of any circle";
    return found;
  };
  EXPECT_EQ(with(true), 1u);
  EXPECT_EQ(with(false), 0u);
}

// Every thread has a lock of its own, and takes all others inside of it: circles of all lengths.
Case all_inside_of_all(std::uint32_t threads) {
  Case run(threads);
  const auto lock = [](std::uint32_t i) { return 0x10000 + 0x100 * std::uint64_t{i}; };
  for (std::uint32_t thread = 0; thread < threads; ++thread)
    for (std::uint32_t i = 0; i < threads; ++i)
      if (i != thread) nested(run, thread, {lock(thread), lock(i)});
  return run;
}

TEST(Deadlocks, ShortCirclesBeforeLongOnes) {
  Case run = all_inside_of_all(5);
  const std::vector<Finding> found = run.find(find_deadlocks);
  ASSERT_EQ(found.size(), 10u + 20u + 30u + 24u) << "circles of 2, 3, 4 and 5";
  EXPECT_TRUE(std::ranges::is_sorted(found, {}, [](const Finding& f) { return f.witness.next.size(); }));
  EXPECT_EQ(run.coverage.undecided, 0u);
}

TEST(Deadlocks, MoreCirclesThanAreLookedAt) {
  const Case run = all_inside_of_all(12);
  const causality::Computation computation = causality::compute(run.trace);
  const Requests requests = collect_requests(run.trace, computation);
  LockGraph graph(computation, requests);
  std::vector<std::size_t> sizes;
  EXPECT_FALSE(each_circle(graph, [&](const std::vector<ClassId>& circle) {
    sizes.push_back(circle.size());
    return true;
  }));
  EXPECT_EQ(std::ranges::count(sizes, 2u), 66) << "all plain inversions are among them";
  EXPECT_EQ(std::ranges::count(sizes, 3u), 440);
  EXPECT_TRUE(std::ranges::is_sorted(sizes));
}

// All threads do the same, one way round and then the other.
std::vector<Finding> inverted_in(Sited& run, std::uint32_t threads, bool one_by_one) {
  run.add_sites(4);
  const auto work = [&](std::uint32_t thread) {
    run.nested(thread, A, B, 1);
    run.nested(thread, B, A, 3);
  };
  for (std::uint32_t t = 1; t < threads; ++t) {
    run.fork(0, t);
    if (one_by_one) work(t), run.join(0, t);
  }
  for (std::uint32_t t = 1; t < threads && !one_by_one; ++t) work(t);
  for (std::uint32_t t = 1; t < threads && !one_by_one; ++t) run.join(0, t);
  return run.find(find_deadlocks);
}

TEST(Deadlocks, OneCircleInThousandsOfThreadsIsOneQuestion) {
  for (const std::uint32_t threads : {1'000u, 20'000u}) {
    Sited together(threads);
    EXPECT_EQ(inverted_in(together, threads, false).size(), 1u);
    EXPECT_EQ(together.coverage.candidates, 1u);
    EXPECT_EQ(together.coverage.questions, 1u);
    EXPECT_EQ(together.coverage.undecided, 0u);
  }
}

TEST(Deadlocks, OneCircleInThousandsOfThreadsThatNeverMeetIsNoQuestion) {
  for (const std::uint32_t threads : {1'000u, 20'000u}) {
    Sited apart(threads);
    EXPECT_TRUE(inverted_in(apart, threads, true).empty());
    EXPECT_EQ(apart.coverage.candidates, 1u);
    EXPECT_EQ(apart.coverage.questions, 0u);
    EXPECT_EQ(apart.coverage.undecided, 0u) << "every instance was looked at";
  }
}

TEST(Deadlocks, AnotherInstanceWhereTheFirstOnesCannotHappen) {
  // The near ones are kept apart by what the second thread of each pair reads; one thread at the end reads nothing.
  const auto with = [](bool free) {
    constexpr std::uint32_t kPairs = 40;
    Sited run(2 * kPairs + 2);
    run.add_sites(4);
    const auto flag = [](std::uint32_t pair) { return X + 0x40 * std::uint64_t{pair}; };
    for (std::uint32_t pair = 0; pair < kPairs; ++pair) run.write(0, flag(pair), 4, 0);
    for (std::uint32_t t = 1; t < 2 * kPairs + 2; ++t) run.fork(0, t);
    // The first thread does it with all flags unset, and sets them all; the second one waits for that.
    for (std::uint32_t pair = 0; pair < kPairs; ++pair) {
      run.nested(1 + pair, A, B, 1);
      run.access(1 + pair, EventKind::AtomicWrite, flag(pair), 4, 1);
    }
    for (std::uint32_t pair = 0; pair < kPairs; ++pair) {
      const std::uint32_t second = 1 + kPairs + pair;
      for (std::uint32_t other = 0; other < kPairs; ++other)
        run.access(second, EventKind::AtomicRead, flag(other), 4, 1);
      run.nested(second, B, A, 3);
    }
    if (free) run.nested(2 * kPairs + 1, B, A, 3);
    const std::size_t found = run.find(find_deadlocks).size();
    EXPECT_EQ(run.coverage.candidates, 1u);
    EXPECT_EQ(run.coverage.undecided, 0u);
    if (!free) {
      EXPECT_EQ(run.coverage.questions, 0u) << "the flags' values say which comes first";
    }
    return found;
  };
  EXPECT_EQ(with(false), 0u);
  EXPECT_EQ(with(true), 1u);
}

TEST(Deadlocks, JoinsOfOnePlaceAreToldApartByWhomTheyJoin) {
  // Each thread creates and joins the next one at one place; the first one holds A meanwhile, which only the last one wants.
  const auto with = [](bool wants) {
    constexpr std::uint32_t kThreads = 6;
    Sited run(kThreads);
    run.add_sites(3);
    for (std::uint32_t t = 1; t < kThreads; ++t) run.fork(t - 1, t);
    run.lock(kThreads - 1, wants ? A : B);
    run.trace.events.back().site = 2;
    run.unlock(kThreads - 1, wants ? A : B);
    run.lock(0, A);
    for (std::uint32_t t = kThreads - 1; t > 0; --t) {
      run.join(t - 1, t);
      run.trace.events.back().site = 1;
    }
    run.unlock(0, A);
    const std::vector<Finding> found = run.find(find_deadlocks);
    EXPECT_EQ(run.coverage.undecided, 0u);
    if (!found.empty()) {
      EXPECT_EQ(found[0].witness.next.size(), kThreads);
    }
    return found.size();
  };
  EXPECT_EQ(with(true), 1u);
  EXPECT_EQ(with(false), 0u);
}

TEST(Deadlocks, JoinsOfManyThreadsAtOnePlace) {
  // Joined with a lock that each of the threads wants once.
  const auto with = [](bool held) {
    constexpr std::uint32_t kThreads = 2'000;
    Sited run(kThreads);
    run.add_sites(2);
    for (std::uint32_t t = 1; t < kThreads; ++t) run.fork(0, t);
    for (std::uint32_t t = 1; t < kThreads; ++t) {
      run.lock(t, A);
      run.trace.events.back().site = 1;
      run.unlock(t, A);
    }
    if (held) run.lock(0, A);
    for (std::uint32_t t = 1; t < kThreads; ++t) {
      run.join(0, t);
      run.trace.events.back().site = 2;
    }
    if (held) run.unlock(0, A);
    const std::size_t found = run.find(find_deadlocks).size();
    EXPECT_EQ(run.coverage.undecided, 0u);
    EXPECT_LE(run.coverage.questions, 1u);
    return found;
  };
  EXPECT_EQ(with(true), 1u);
  EXPECT_EQ(with(false), 0u);
}

// --- what has no owner ------------------------------------------------------------------------------------------

constexpr std::uint64_t S = 0x4000, T = 0x4100, Barrier = 0x5000, Once = 0x6000;

// Threads 1 and 2, created and joined by 0, which does nothing else: `first` and `second` are done one after the other.
template <typename First, typename Second>
std::vector<Finding> created(Case& run, First&& first, Second&& second) {
  run.add(0, EventKind::SemInit, S, 1);
  run.add(0, EventKind::SemInit, T, 1);
  run.add(0, EventKind::BarrierInit, Barrier, 2);
  run.fork(0, 1);
  run.fork(0, 2);
  first(run);
  second(run);
  run.join(0, 1);
  run.join(0, 2);
  return run.find(find_deadlocks);
}
void wait_for(Case& run, std::uint32_t thread, std::uint64_t semaphore, std::uint64_t type = 0) {
  run.add(thread, EventKind::SemWait, semaphore, type);
}
void post(Case& run, std::uint32_t thread, std::uint64_t semaphore) { run.add(thread, EventKind::SemPost, semaphore); }

TEST(Deadlocks, SemaphoresInOppositeOrder) {
  const auto with = [](std::uint64_t first, std::uint64_t second, std::uint64_t type) {
    Case run(3);
    return created(
        run,
        [&](Case& r) {
          wait_for(r, 1, S);
          wait_for(r, 1, T);
          post(r, 1, T);
          post(r, 1, S);
        },
        [&](Case& r) {
          wait_for(r, 2, first);
          wait_for(r, 2, second, type);
          post(r, 2, second);
          post(r, 2, first);
        });
  };
  const std::vector<Finding> found = with(T, S, 0);
  ASSERT_EQ(found.size(), 1u);
  // Both wait, and so does the thread that joins them.
  EXPECT_EQ(found[0].witness.next.size(), 3u);
  EXPECT_TRUE(with(S, T, 0).empty());
  EXPECT_TRUE(with(T, S, trace::kLockTry).empty());
  EXPECT_TRUE(with(T, S, trace::kLockTimed).empty());
}

TEST(Deadlocks, ASemaphoreThatIsPostedBehindALock) {
  const auto with = [](bool held) {
    Case run(3);
    return created(
        run,
        [&](Case& r) { // posts, after it had the lock
          r.lock(1, A);
          r.unlock(1, A);
          post(r, 1, S);
        },
        [&](Case& r) { // the second wait needs the post
          wait_for(r, 2, S);
          if (held) r.lock(2, A);
          wait_for(r, 2, S);
          if (held) r.unlock(2, A);
        });
  };
  EXPECT_EQ(with(true).size(), 1u);
  EXPECT_TRUE(with(false).empty());
}

TEST(Deadlocks, SomebodyElseMayPost) {
  Case run(4);
  run.add(0, EventKind::SemInit, S, 0);
  for (const std::uint32_t child : {1u, 2u, 3u}) run.fork(0, child);
  run.lock(1, A);
  run.unlock(1, A);
  post(run, 1, S);
  post(run, 3, S); // needs nothing
  run.lock(2, A);
  wait_for(run, 2, S);
  run.unlock(2, A);
  for (const std::uint32_t child : {1u, 2u, 3u}) run.join(0, child);
  EXPECT_TRUE(run.find(find_deadlocks).empty());
  EXPECT_EQ(run.coverage.undecided, 0u);
}

TEST(Deadlocks, AThreadWithoutARecordedEndMightStillHelp) {
  Case run(4);
  run.add(0, EventKind::SemInit, S, 0);
  for (const std::uint32_t child : {1u, 2u, 3u}) run.fork(0, child);
  run.lock(1, A);
  run.unlock(1, A);
  post(run, 1, S);
  run.lock(2, A);
  wait_for(run, 2, S);
  run.unlock(2, A);
  for (const std::uint32_t child : {1u, 2u}) run.join(0, child);
  EXPECT_TRUE(run.find(find_deadlocks).empty());
  EXPECT_EQ(run.coverage.undecided, 1u);
}

TEST(Deadlocks, WhoTakesAndDoesNotGiveBack) {
  const auto with = [](bool gives) {
    Case run(3);
    return created(
        run,
        [&](Case& r) {
          wait_for(r, 1, S);
          post(r, 1, S);
        },
        [&](Case& r) {
          wait_for(r, 2, S);
          if (gives) post(r, 2, S);
        });
  };
  EXPECT_EQ(with(false).size(), 1u) << "the second thread may take it first";
  EXPECT_TRUE(with(true).empty());
}

TEST(Deadlocks, PingPongIsNone) {
  Case run(3);
  const std::vector<Finding> found = created(
      run,
      [&](Case& r) {
        for (int i = 0; i < 20; ++i) {
          wait_for(r, 1, S); // 1 at first
          if (i > 0) wait_for(r, 1, T);
          post(r, 1, T);
          wait_for(r, 2, T);
          post(r, 2, T);
          post(r, 2, S);
        }
      },
      [](Case&) {});
  EXPECT_TRUE(found.empty());
  EXPECT_EQ(run.coverage.undecided, 0u);
}

TEST(Deadlocks, TwoThreadsAtTheSamePlace) {
  // Both need two at a time: a circle of one place with itself.
  const auto with = [](std::uint64_t count) {
    Case run(3);
    run.site("a.c", 1, "f", "s");
    run.site("a.c", 2, "f", "s");
    run.add(0, EventKind::SemInit, S, count);
    run.fork(0, 1);
    run.fork(0, 2);
    for (const std::uint32_t thread : {1u, 2u}) {
      wait_for(run, thread, S);
      run.trace.events.back().site = 1;
      wait_for(run, thread, S);
      run.trace.events.back().site = 2;
      post(run, thread, S);
      post(run, thread, S);
    }
    run.join(0, 1);
    run.join(0, 2);
    return run.find(find_deadlocks).size();
  };
  EXPECT_EQ(with(2), 1u);
  EXPECT_EQ(with(3), 0u);
}

TEST(Deadlocks, ABarrierThatTheOtherCannotReach) {
  const auto with = [](bool held) {
    Case run(3);
    return created(
        run,
        [&](Case& r) {
          r.lock(1, A);
          r.unlock(1, A);
          r.add(1, EventKind::BarrierArrive, Barrier);
        },
        [&](Case& r) {
          if (held) r.lock(2, A);
          r.add(2, EventKind::BarrierArrive, Barrier);
          r.add(2, EventKind::BarrierLeave, Barrier);
          r.add(1, EventKind::BarrierLeave, Barrier);
          if (held) r.unlock(2, A);
        });
  };
  EXPECT_EQ(with(true).size(), 1u);
  EXPECT_TRUE(with(false).empty());
}

TEST(Deadlocks, AnInitialisationThatNeedsWhatItsWaiterHas) {
  const auto with = [](bool held) {
    Case run(3);
    return created(
        run,
        [&](Case& r) {
          r.add(1, EventKind::OnceBegin, Once);
          r.lock(1, A);
          r.unlock(1, A);
          r.add(1, EventKind::OnceEnd, Once);
        },
        [&](Case& r) {
          if (held) r.lock(2, A);
          r.add(2, EventKind::OnceWait, Once);
          if (held) r.unlock(2, A);
        });
  };
  const std::vector<Finding> found = with(true);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].witness.next.size(), 2u) << "an initialisation has an owner: a circle is enough";
  EXPECT_TRUE(with(false).empty());
}

// A queue for one thing: the one who puts waits while it is full, the one who takes while it is
// empty. Each pair of their waits would be a circle; none of them meets (agreement.h).
TEST(Deadlocks, AQueueInWhichBothWaitManyTimesIsDecided) {
  constexpr std::uint64_t NotFull = 0x3100, NotEmpty = 0x3200;
  Case run(3);
  run.fork(0, 1);
  run.fork(0, 2);
  const auto change = [&](std::uint32_t t, std::uint64_t value, std::uint64_t signal) {
    run.access(t, EventKind::Read, X, 4, 1 - value);
    run.access(t, EventKind::Write, X, 4, value);
    run.add(t, EventKind::Signal, signal);
    run.unlock(t, A);
  };
  const auto wait = [&](std::uint32_t t, std::uint64_t seen, std::uint64_t condition) {
    run.lock(t, A);
    run.access(t, EventKind::Read, X, 4, seen);
    run.add(t, EventKind::Wait, condition, A);
  };
  run.lock(1, A);
  run.access(1, EventKind::Write, X, 4, 0);
  for (int i = 0; i < 400; ++i) {
    if (i != 0) run.add(1, EventKind::Wake, NotFull, A);
    change(1, 1, NotEmpty);
    wait(1, 1, NotFull);
    if (i == 0) run.lock(2, A);
    else run.add(2, EventKind::Wake, NotEmpty, A);
    change(2, 0, NotFull);
    if (i != 399) wait(2, 0, NotEmpty);
  }
  run.add(1, EventKind::Wake, NotFull, A);
  run.unlock(1, A);
  run.join(0, 1);
  run.join(0, 2);
  EXPECT_TRUE(run.find(find_deadlocks).empty());
  EXPECT_EQ(run.coverage.candidates, 1u);
  EXPECT_EQ(run.coverage.questions, 0u);
  EXPECT_EQ(run.coverage.undecided, 0u);
}

TEST(Deadlocks, AWaitWithALockThatTheSignallerNeeds) {
  const auto with = [](bool outer) {
    Case run(3);
    return created(
        run,
        [&](Case& r) {
          r.lock(1, A);
          r.unlock(1, A);
        },
        [&](Case& r) {
          if (outer) r.lock(2, A);
          r.lock(2, B);
          r.add(2, EventKind::Wait, Condition, B);
          r.add(1, EventKind::Signal, Condition);
          r.add(2, EventKind::Wake, Condition, B);
          r.unlock(2, B);
          if (outer) r.unlock(2, A);
        });
  };
  EXPECT_EQ(with(true).size(), 1u);
  EXPECT_TRUE(with(false).empty());
}

TEST(Deadlocks, ALockWhoseOwnerHasEnded) {
  const auto with = [](bool gives, std::uint64_t type) {
    Case run(3);
    return created(
        run,
        [&](Case& r) {
          r.lock(1, A, type);
          r.unlock(1, A, type);
        },
        [&](Case& r) {
          r.lock(2, A, type);
          if (gives) r.unlock(2, A, type);
        });
  };
  EXPECT_EQ(with(false, 0).size(), 1u);
  EXPECT_TRUE(with(true, 0).empty());
  EXPECT_TRUE(with(false, trace::kLockRobust).empty()) << "a robust mutex tells who asks next";
}

TEST(Deadlocks, ANestedReaderBehindAWriter) {
  const auto with = [](std::uint64_t type, bool nested) {
    Case run(2);
    run.lock_shared(0, A, type);
    if (nested) run.lock_shared(0, A, type);
    if (nested) run.unlock_shared(0, A, type);
    run.unlock_shared(0, A, type);
    run.lock(1, A, type);
    run.unlock(1, A, type);
    return run.find(find_deadlocks).size();
  };
  EXPECT_EQ(with(trace::kLockReadWrite | trace::kLockPreferWriter, true), 1u);
  EXPECT_EQ(with(trace::kLockReadWrite | trace::kLockPreferWriter, false), 0u);
  EXPECT_EQ(with(trace::kLockReadWrite, true), 0u);
}

} // namespace
} // namespace sooth::predict
