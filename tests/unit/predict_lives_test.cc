// Primitives that are used after their end, frees that nothing orders, leaked threads, handlers and
// descriptors, on hand-made traces, in pairs; and findings that the checker must not accept.
#include <gtest/gtest.h>

#include <csignal>

#include "predict/memory/crashes.h"
#include "predict/memory/memory_errors.h"
#include "predict/memory/unordered_frees.h"
#include "predict/misuse/handlers.h"
#include "predict/misuse/thread_leaks.h"
#include "predict/races/descriptors.h"
#include "unit/predict_case.h"

namespace sooth::predict {
namespace {

using testing::Case;
using trace::EventKind;
using trace::MemoryOrder;
using witness::Finding;
using witness::FindingKind;
using witness::Model;
using witness::Role;

constexpr std::uint64_t Object = 0x10000, Bytes = 64, Lock = 0x10010, Users = 0x10000, Condition = 0x3000;

const auto errors = [](auto&&... arguments) { return find_memory_errors(arguments...); };
const auto frees = [](const trace::Trace& trace, const auto&, const auto&, const auto&, Coverage& coverage) {
  return find_unordered_frees(trace, {}, coverage);
};
const auto leaks = [](const trace::Trace& trace, const auto&, const auto&, const auto&, Coverage& coverage) {
  return find_thread_leaks(trace, coverage);
};
const auto handlers = [](const trace::Trace& trace, auto&&...) { return find_handler_misuse(trace); };
const auto descriptors = [](const trace::Trace& trace, const auto& computation, const auto& feasibility, const auto&,
                            Coverage& coverage) {
  return find_descriptor_races(trace, computation, feasibility, coverage);
};

std::string objection(const trace::Trace& trace, const Finding& finding) {
  return witness::Checker(trace).objection(finding).value_or("");
}

// Thread 1 uses a lock once; thread 0 ends it with `end`, behind a join or not.
Case one_use(EventKind end, bool joined) {
  Case run(2);
  run.add(0, EventKind::Alloc, Object, Bytes);
  run.add(0, EventKind::LockInit, Lock);
  run.fork(0, 1);
  run.lock(1, Lock);
  run.unlock(1, Lock);
  if (joined) run.join(0, 1);
  run.add(0, end, end == EventKind::Free ? Object : Lock, end == EventKind::Free ? Bytes : 0);
  return run;
}

TEST(PrimitiveLives, ALockMayBeUsedAfterItsEnd) {
  for (const EventKind end : {EventKind::LockDestroy, EventKind::Free}) {
    Case run = one_use(end, false);
    const std::vector<Finding> found = run.find(errors);
    ASSERT_EQ(found.size(), 1u) << static_cast<int>(end); // not the unlock as well
    EXPECT_EQ(found[0].kind, FindingKind::UseAfterFree);
    EXPECT_EQ(found[0].status, witness::Status::Predicted);
    EXPECT_EQ(run.trace.events[found[0].places[0].event].kind, EventKind::Acquire);
    EXPECT_TRUE(one_use(end, true).find(errors).empty());
  }
}

TEST(PrimitiveLives, TheCheckerWantsTheEndAndNoNewBeginning) {
  Case run = one_use(EventKind::LockDestroy, false);
  Finding good = run.find(errors).at(0);
  EXPECT_EQ(objection(run.trace, good), "");
  Finding without = good; // the destruction is not in the run
  std::erase(without.witness.steps, good.places[1].event);
  if (without.witness.observed > good.places[1].event) without.witness.observed = good.places[1].event;
  EXPECT_NE(objection(run.trace, without), "");
  Finding other = good; // another lock was destroyed
  run.trace.events[good.places[1].event].address = Lock + 64;
  EXPECT_NE(objection(run.trace, other), "");
}

// Both threads give up their share under the lock; the last one destroys and frees. `again`: the
// first one comes back.
Case last_user(bool again) {
  Case run(3);
  run.add(0, EventKind::Alloc, Object, Bytes);
  run.write(0, Users, 4, 2);
  run.fork(0, 1);
  run.fork(0, 2);
  for (const std::uint32_t thread : {1u, 2u}) {
    run.lock(thread, Lock);
    run.read(thread, Users, 4, 3 - thread);
    run.write(thread, Users, 4, 2 - thread);
    run.unlock(thread, Lock);
    if (thread == 1 && again) run.lock(1, Lock), run.unlock(1, Lock);
  }
  run.add(2, EventKind::LockDestroy, Lock);
  run.add(2, EventKind::Free, Object, Bytes);
  return run;
}

TEST(PrimitiveLives, TheLastUserMayDestroyTheLockThatItHasGivenUp) {
  EXPECT_TRUE(last_user(false).find(errors).empty());
  EXPECT_FALSE(last_user(true).find(errors).empty());
}

// A waiter is woken, and the other thread destroys the condition, or the mutex, at once.
Case after_broadcast(std::uint64_t destroyed) {
  constexpr std::uint64_t Begun = 0x4000, Stop = 0x2000;
  Case run(2);
  run.write(0, Stop, 4, 0);
  run.add(0, EventKind::SemInit, Begun, 0);
  run.fork(0, 1);
  run.lock(1, Lock);
  run.add(1, EventKind::SemPost, Begun);
  run.read(1, Stop, 4, 0);
  run.add(1, EventKind::Wait, Condition, Lock);
  run.add(0, EventKind::SemWait, Begun); // so it has waited when the other thread has the lock
  run.lock(0, Lock);
  run.write(0, Stop, 4, 1);
  run.add(0, EventKind::Broadcast, Condition);
  run.unlock(0, Lock);
  run.add(1, EventKind::Wake, Condition, Lock);
  run.unlock(1, Lock);
  run.add(0, EventKind::LockDestroy, destroyed, destroyed == Condition ? std::uint64_t{trace::kLockCondition} : 0);
  return run;
}

TEST(PrimitiveLives, AConditionMayGoWhenItsWaitersAreWokenAndTheMutexMayNot) {
  EXPECT_TRUE(after_broadcast(Condition).find(errors).empty());
  Case run = after_broadcast(Lock);
  const std::vector<Finding> found = run.find(errors);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(run.trace.events[found[0].places[0].event].kind, EventKind::Wake);
}

TEST(PrimitiveLives, ASemaphoreThatWasDestroyedNeedsACall) {
  for (const bool again : {false, true}) {
    Case run(1);
    run.add(0, EventKind::SemInit, Lock, 0);
    run.add(0, EventKind::SemDestroy, Lock);
    if (again) run.add(0, EventKind::SemInit, Lock, 0);
    run.add(0, EventKind::SemPost, Lock);
    const std::vector<Finding> found = run.find(errors);
    ASSERT_EQ(found.size(), again ? 0u : 1u);
    if (!again) {
      EXPECT_EQ(found[0].status, witness::Status::Observed);
    }
  }
}

// Both threads write to the object, then count down; the second one frees.
Case counted(MemoryOrder order) {
  Case run(3);
  run.add(0, EventKind::Alloc, Object, Bytes);
  run.access(0, EventKind::AtomicWrite, Users, 4, 2);
  run.fork(0, 1);
  run.fork(0, 2);
  for (const std::uint32_t thread : {1u, 2u}) {
    run.write(thread, Object + 8 * thread, 4, 1);
    trace::Event& count = run.access(thread, EventKind::AtomicRmw, Users, 4, 2 - thread);
    count.extra = 3 - thread;
    count.order = order;
  }
  run.add(2, EventKind::Free, Object, Bytes);
  return run;
}

TEST(UnorderedFrees, RelaxedCountsOrderNothing) {
  Case relaxed = counted(MemoryOrder::Relaxed);
  EXPECT_TRUE(relaxed.find(errors).empty()); // in the order of the values all is well
  const std::vector<Finding> found = relaxed.find(frees, Model::HappensBefore);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, FindingKind::UseAfterFree);
  EXPECT_EQ(relaxed.trace.events[found[0].places[0].event].kind, EventKind::Write);
  Case ordered = counted(MemoryOrder::AcqRel);
  EXPECT_TRUE(ordered.find(frees).empty());
  EXPECT_NE(objection(ordered.trace, found[0]), ""); // the checker knows the orders itself
}

TEST(ThreadLeaks, OnlyOfThreadsThatHaveEndedAndThatNobodyTookCareOf) {
  const auto leaked = [](bool ended, EventKind care) {
    Case run(2);
    run.trace.process.end = trace::EndKind::Exit;
    run.fork(0, 1);
    if (care == EventKind::Detach) run.add(0, EventKind::Detach, 0, 1);
    if (ended) run.add(1, EventKind::ThreadEnd);
    if (care == EventKind::Join) run.add(0, EventKind::Join, 0, 1);
    run.add(0, EventKind::ThreadEnd);
    return run.find(leaks).size();
  };
  EXPECT_EQ(leaked(true, EventKind::None), 1u);
  EXPECT_EQ(leaked(true, EventKind::Join), 0u);
  EXPECT_EQ(leaked(true, EventKind::Detach), 0u);
  EXPECT_EQ(leaked(false, EventKind::None), 0u);
}

TEST(ThreadLeaks, TheCheckerLooksForTheJoin) {
  Case run(2);
  run.trace.process.end = trace::EndKind::Exit;
  run.fork(0, 1);
  run.add(1, EventKind::ThreadEnd);
  run.add(0, EventKind::User);
  Finding leak = run.find(leaks).at(0);
  EXPECT_EQ(objection(run.trace, leak), "");
  run.trace.events.back().kind = EventKind::Join;
  run.trace.events.back().value = 1;
  EXPECT_NE(objection(run.trace, leak), "");
}

// A handler that allocates, and changes errno.
Case handled(std::uint8_t enter_flags, std::uint8_t exit_flags, bool allocates, int number = SIGUSR1) {
  Case run(1);
  run.add(0, EventKind::Enter);
  run.add(0, EventKind::SignalEnter, 0x100, static_cast<std::uint64_t>(number)).flags = enter_flags;
  run.add(0, EventKind::Enter);
  if (allocates) run.add(0, EventKind::Alloc, Object, Bytes);
  run.add(0, EventKind::Exit, 0, 1);
  run.add(0, EventKind::SignalExit, 0x100, static_cast<std::uint64_t>(number)).flags = exit_flags;
  run.add(0, EventKind::Free, Object + 4 * Bytes, 1); // not in the handler any more
  run.add(0, EventKind::Exit, 0, 0);
  return run;
}

TEST(Handlers, MayNotAllocateUnlessTheThreadExpectsTheSignal) {
  const std::vector<Finding> found = handled(0, 0, true).find(handlers);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, FindingKind::SignalUnsafe);
  EXPECT_TRUE(handled(trace::kFill, 0, true).find(handlers).empty());
  EXPECT_TRUE(handled(0, 0, false).find(handlers).empty());
}

TEST(Handlers, MayNotChangeErrnoExceptForSigterm) {
  const std::vector<Finding> found = handled(0, trace::kFailed, false).find(handlers);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, FindingKind::SignalErrno);
  EXPECT_TRUE(handled(trace::kFill, trace::kFailed, false).find(handlers).empty());
  EXPECT_TRUE(handled(0, trace::kFailed, false, SIGTERM).find(handlers).empty());
  Finding wrong = found[0];
  EXPECT_NE(objection(handled(0, 0, false).trace, wrong), "");
}

TEST(Handlers, AreLeftByAJump) {
  Case run(1);
  run.add(0, EventKind::Enter);
  run.add(0, EventKind::SignalEnter, 0x100, SIGUSR1);
  run.add(0, EventKind::Enter);
  run.add(0, EventKind::Exit, 0, 1); // siglongjmp: no signal-exit
  run.add(0, EventKind::Alloc, Object, Bytes);
  run.add(0, EventKind::Exit, 0, 0);
  EXPECT_TRUE(run.find(handlers).empty());
}

// What the trace does not show to its end is not reported: the checker would not believe it.
TEST(Crashes, NeedTheEndOfTheTrace) {
  for (const trace::EndKind end : {trace::EndKind::Signal, trace::EndKind::Exit}) {
    Case run(1);
    run.trace.process.end = end;
    run.add(0, EventKind::Crash, 0, SIGABRT);
    const auto crashes = [](const trace::Trace& trace, auto&&...) { return find_crashes(trace); };
    EXPECT_EQ(run.find(crashes).size(), end == trace::EndKind::Signal ? 1u : 0u);
  }
}

TEST(Descriptors, AreNotToBeClosedWhileAnotherThreadMayUseThem) {
  const auto closed = [](bool joined, bool in_between) {
    Case run(2);
    run.fork(0, 1);
    run.add(1, EventKind::FdUse, 6);
    if (in_between) run.add(1, EventKind::FdClose, 6); // from here on the number may be another file's
    if (joined) run.join(0, 1);
    run.add(0, EventKind::FdClose, 6);
    return run.find(descriptors).size();
  };
  EXPECT_EQ(closed(false, false), 1u);
  EXPECT_EQ(closed(true, false), 0u);
  EXPECT_EQ(closed(false, true), 0u);
}

} // namespace
} // namespace sooth::predict
