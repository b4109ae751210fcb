// Misuse of locks on hand-made traces, in pairs; and that a lock which was misused keeps its order, no more.
#include <gtest/gtest.h>

#include "predict/misuse/misuse.h"
#include "predict/races/races.h"
#include "unit/predict_case.h"

namespace sooth::predict {
namespace {

using testing::Case;
using trace::EventKind;
using witness::Finding;
using witness::FindingKind;
using witness::Role;

constexpr std::uint64_t X = 0x1000, Y = 0x2000, Lock = 0x3000, Other = 0x3100, Condition = 0x4000;

class Misuse : public Case {
public:
  explicit Misuse(std::uint32_t threads) : Case(threads) {
    for (std::uint32_t t = 1; t < threads; ++t) fork(0, t);
  }
  std::vector<Finding> misuse() {
    return find([](const trace::Trace& trace, auto&&...) { return find_misuse(trace); });
  }
  std::vector<Finding> races() {
    return find([](const trace::Trace& trace, const auto& computation, const auto& feasibility, const auto& limits,
                   auto& coverage) {
      return find_races(trace, computation, feasibility, witness::Model::Maximal, limits, coverage);
    });
  }
  // What `sooth check` does with a trace that is not legal.
  std::vector<Finding> set_misused_aside() {
    std::vector<Finding> out;
    for (;;) {
      const trace::VerifyReport report = trace::verify(trace);
      if (report.legal()) return out;
      const auto misused = misuse_of(trace, report.problems.front());
      if (!misused) {
        ADD_FAILURE() << report.problems.front().sentence;
        return out;
      }
      out.push_back(misused->finding);
      set_aside(trace, misused->address);
    }
  }
};

TEST(PredictMisuse, AnUnlockByAnotherThreadKeepsItsOrder) {
  Misuse run(3);
  run.lock(1, Lock);
  run.write(1, X, 4, 1);
  run.write(1, Y, 4, 1);
  run.unlock(2, Lock);
  const std::uint32_t unlock = run.last();
  run.write(2, Y, 4, 2); // nothing orders this
  run.lock(2, Lock);
  run.unlock(2, Lock);
  const std::vector<Finding> found = run.set_misused_aside();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, FindingKind::Misuse);
  EXPECT_EQ(found[0].status, witness::Status::Observed);
  EXPECT_EQ(found[0].places, (std::vector<witness::Place>{{unlock, Role::Use}}));
  ASSERT_EQ(run.races().size(), 1u);
}

TEST(PredictMisuse, ALockThatIsHandedOverOrdersWhatItOrdered) {
  Misuse run(3);
  run.lock(1, Lock);
  run.write(2, X, 4, 1);
  run.unlock(2, Lock); // as if it were a semaphore
  run.lock(1, Lock);
  run.write(1, X, 4, 2);
  EXPECT_EQ(run.set_misused_aside().size(), 1u);
  EXPECT_TRUE(run.races().empty());
}

TEST(PredictMisuse, AWaitWithAMutexThatTheThreadDoesNotHave) {
  for (const bool has : {true, false}) {
    Misuse run(3);
    if (has) run.lock(1, Lock);
    run.add(1, EventKind::Wait, Condition, Lock);
    run.write(2, X, 4, 1);
    run.add(2, EventKind::Signal, Condition);
    run.add(1, EventKind::Wake, Condition, Lock);
    run.write(1, X, 4, 2);
    EXPECT_EQ(run.set_misused_aside().size(), has ? 0u : 1u);
    EXPECT_TRUE(run.races().empty()) << "the signal comes before what follows the wait";
  }
}

TEST(PredictMisuse, ATraceThatBreaksOtherRulesIsNoMisuse) {
  Misuse run(3);
  run.lock(1, Lock);
  run.lock(2, Lock);
  const trace::VerifyReport report = trace::verify(run.trace);
  ASSERT_FALSE(report.legal());
  EXPECT_FALSE(misuse_of(run.trace, report.problems.front()));
}

TEST(PredictMisuse, ALockIsDestroyedWhileSomebodyHasIt) {
  for (const bool held : {true, false}) {
    Misuse run(3);
    run.add(1, EventKind::Acquire, Lock, trace::kLockReadWrite);
    const std::uint32_t taken = run.last();
    if (!held) run.add(1, EventKind::Release, Lock, trace::kLockReadWrite);
    run.add(2, EventKind::LockDestroy, Lock, trace::kLockReadWrite);
    const std::vector<Finding> found = run.misuse();
    ASSERT_EQ(found.size(), held ? 1u : 0u);
    if (held) {
      EXPECT_EQ(found[0].places[1], (witness::Place{taken, Role::Hold}));
    }
  }
}

TEST(PredictMisuse, AMutexThatLibcRefusesToDestroy) {
  Misuse run(3);
  run.lock(1, Lock);
  run.add(2, EventKind::LockDestroy, Lock, 0, trace::kFailed);
  run.unlock(1, Lock); // it was not destroyed
  EXPECT_EQ(run.misuse().size(), 1u);
}

TEST(PredictMisuse, MemoryIsFreedWithALockInItThatSomebodyHas) {
  for (const bool held : {true, false}) {
    Misuse run(2);
    run.add(0, EventKind::Alloc, Lock - 8, 64);
    run.lock(1, Lock);
    if (!held) run.unlock(1, Lock);
    run.add(0, EventKind::Free, Lock - 8, 64);
    EXPECT_EQ(run.misuse().size(), held ? 1u : 0u);
  }
}

TEST(PredictMisuse, AMutexIsLockedAfterItWasDestroyed) {
  for (const bool again : {true, false}) {
    Misuse run(2);
    run.add(0, EventKind::LockDestroy, Lock);
    if (again) run.add(0, EventKind::LockInit, Lock);
    run.add(1, EventKind::Acquire, Lock, 0, trace::kFailed);
    EXPECT_EQ(run.misuse().size(), again ? 0u : 1u);
  }
}

TEST(PredictMisuse, ALockIsGivenUpAsAnotherKind) {
  for (const std::uint64_t type : {std::uint64_t{trace::kLockSpin}, std::uint64_t{0}}) {
    Misuse run(1);
    run.lock(0, Lock, trace::kLockSpin);
    run.unlock(0, Lock, type);
    EXPECT_EQ(run.misuse().size(), type == 0 ? 1u : 0u);
  }
}

TEST(PredictMisuse, TwoMutexesForOneCondition) {
  for (const bool two : {true, false}) {
    Misuse run(3);
    const std::uint64_t second = two ? Other : Lock;
    run.lock(1, Lock);
    run.add(1, EventKind::Wait, Condition, Lock, trace::kFill);
    run.lock(2, second);
    run.add(2, EventKind::Wait, Condition, second, trace::kFill);
    EXPECT_EQ(run.misuse().size(), two ? 1u : 0u);
  }
}

TEST(PredictMisuse, AConditionIsDestroyedOrFreedUnderAWaiter) {
  for (const bool woken : {true, false})
    for (const bool freed : {true, false}) {
      Misuse run(2);
      run.lock(1, Lock);
      run.add(1, EventKind::Wait, Condition, Lock);
      if (woken) run.add(0, EventKind::Broadcast, Condition); // then it may be destroyed at once
      if (freed) run.add(0, EventKind::Free, Condition - 16, 64);
      else run.add(0, EventKind::LockDestroy, Condition, trace::kLockCondition);
      EXPECT_EQ(run.misuse().size(), woken ? 0u : 1u);
    }
}

} // namespace
} // namespace sooth::predict
