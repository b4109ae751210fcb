// Uses after free on hand-made traces, in pairs.
#include <gtest/gtest.h>

#include "predict/memory/memory_errors.h"
#include "trace/objects.h"
#include "unit/predict_case.h"

namespace sooth::predict {
namespace {

using testing::Case;
using trace::EventKind;
using witness::Finding;
using witness::FindingKind;
using witness::Role;

constexpr std::uint64_t Object = 0x10000, Bytes = 16, Lock = 0x1000, Flag = 0x2000;

// No place was given out twice.
const auto errors = [](auto&&... arguments) { return find_memory_errors(arguments...); };

enum class Between { Nothing, Lock, Flag, Join };

// Thread 0 allocates, thread 1 uses, thread 0 frees.
Case shared_object(Between between, EventKind begin = EventKind::Alloc, EventKind end = EventKind::Free) {
  Case run(2);
  run.add(0, begin, Object, Bytes);
  run.access(0, EventKind::AtomicWrite, Flag, 4, 0);
  run.fork(0, 1);
  if (between == Between::Lock) run.lock(1, Lock);
  run.write(1, Object + 4, 4, 7);
  if (between == Between::Lock) run.unlock(1, Lock);
  if (between == Between::Flag) {
    run.access(1, EventKind::AtomicWrite, Flag, 4, 1);
    run.access(0, EventKind::AtomicRead, Flag, 4, 1);
  }
  if (between == Between::Join) run.join(0, 1);
  if (between == Between::Lock) run.lock(0, Lock);
  run.add(0, end, Object, Bytes);
  if (between == Between::Lock) run.unlock(0, Lock);
  return run;
}

TEST(MemoryErrors, TheFreeMayComeFirst) {
  Case run = shared_object(Between::Nothing);
  const std::vector<Finding> found = run.find(errors);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, FindingKind::UseAfterFree);
  EXPECT_EQ(found[0].status, witness::Status::Predicted);
  EXPECT_EQ(run.trace.events[found[0].places[0].event].kind, EventKind::Write);
  EXPECT_EQ(found[0].places[0].role, Role::Use);
  EXPECT_EQ(run.trace.events[found[0].places[1].event].kind, EventKind::Free);
}

// The access belongs to a step that a failed call began. They do not stay together.
TEST(MemoryErrors, AnAccessBehindACallThatFailedIsShownFromItsOwnPlace) {
  Case run(2);
  run.add(0, EventKind::Alloc, Object, Bytes);
  run.fork(0, 1);
  run.add(0, EventKind::Free, Object, Bytes);
  run.add(1, EventKind::SemWait, Flag, 0, trace::kFailed);
  run.read(1, Object, 4, 0);
  run.join(0, 1);
  const std::vector<Finding> found = run.find(errors);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].status, witness::Status::Observed);
  EXPECT_EQ(run.trace.events[found[0].witness.observed].kind, EventKind::Read);
}

TEST(MemoryErrors, WhatWasFreedTwiceWasFreedByTheLast) {
  Case run(2);
  run.add(0, EventKind::Alloc, Object, Bytes);
  run.fork(0, 1);
  run.add(0, EventKind::Free, Object, Bytes);
  run.add(0, EventKind::Free, Object, Bytes);
  const std::uint32_t last = run.last();
  run.read(1, Object, 4, 0);
  run.join(0, 1);
  const std::vector<Finding> found = run.find(errors);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].kind, FindingKind::DoubleFree);
  EXPECT_EQ(found[1].kind, FindingKind::UseAfterFree);
  EXPECT_EQ(found[1].places[1].event, last);
}

TEST(MemoryErrors, AMutexExcludesButDoesNotOrder) { EXPECT_EQ(shared_object(Between::Lock).find(errors).size(), 1u); }

enum class Link { Kept, Removed, PutBack, RemovedOutside };

// Thread 1 reaches the object under a lock, and thread 0 frees it under the same lock.
Case linked_object(Link link) {
  Case run(2);
  run.add(0, EventKind::Alloc, Object, Bytes);
  run.write(0, Flag, 8, Object);
  run.fork(0, 1);
  run.lock(1, Lock);
  run.read(1, Flag, 8, Object);
  run.write(1, Object, 4, 7);
  run.unlock(1, Lock);
  run.lock(0, Lock);
  if (link == Link::Removed || link == Link::PutBack) run.write(0, Flag, 8, 0);
  run.add(0, EventKind::Free, Object, Bytes);
  run.unlock(0, Lock);
  if (link == Link::RemovedOutside) run.write(0, Flag, 8, 0);
  if (link == Link::PutBack) run.write(0, Flag, 8, Object);
  return run;
}

TEST(MemoryErrors, WhatIsRemovedAndFreedUnderTheLockIsNotFoundUnderIt) {
  Case removed = linked_object(Link::Removed);
  EXPECT_TRUE(removed.find(errors).empty());
  EXPECT_EQ(removed.coverage.questions, 0u);
  EXPECT_EQ(removed.coverage.undecided, 0u);
}

TEST(MemoryErrors, WhatStaysLinkedOrIsLinkedOnceMoreIsFoundThere) {
  for (const Link link : {Link::Kept, Link::PutBack, Link::RemovedOutside})
    EXPECT_EQ(linked_object(link).find(errors).size(), 1u) << static_cast<int>(link);
}

TEST(MemoryErrors, AFlagOrJoinOrders) {
  EXPECT_TRUE(shared_object(Between::Flag).find(errors).empty());
  EXPECT_TRUE(shared_object(Between::Join).find(errors).empty());
}

// Thread 1 uses an object at more places than are remembered; a flag keeps all of them before its end in every run, or the
// end comes after the thread's own.
Case many_places(Between between) {
  Case run(2);
  run.add(0, EventKind::Alloc, Object, Bytes);
  run.access(0, EventKind::AtomicWrite, Flag, 4, 0);
  run.fork(0, 1);
  for (std::uint32_t line = 1; line <= 100; ++line)
    run.write(1, Object, 4, line).site = run.site("many.c", line, "use", "object");
  if (between == Between::Flag) {
    run.access(1, EventKind::AtomicWrite, Flag, 4, 1);
    run.access(0, EventKind::AtomicRead, Flag, 4, 1);
  }
  if (between == Between::Join) run.join(0, 1);
  run.add(0, EventKind::Free, Object, Bytes);
  return run;
}

TEST(MemoryErrors, AccessesThatAreNotRememberedAreCountedUnlessTheyCannotMatter) {
  Case by_nothing = many_places(Between::Nothing);
  by_nothing.find(errors);
  EXPECT_EQ(by_nothing.coverage.reasons["an object was accessed at more places than are remembered"], 1u);
  Case by_value = many_places(Between::Flag);
  EXPECT_TRUE(by_value.find(errors).empty());
  EXPECT_EQ(by_value.coverage.undecided, 0u);
  Case by_join = many_places(Between::Join);
  EXPECT_TRUE(by_join.find(errors).empty());
  EXPECT_EQ(by_join.coverage.undecided, 0u);
}

TEST(MemoryErrors, MappingsToo) {
  EXPECT_EQ(shared_object(Between::Nothing, EventKind::Map, EventKind::Unmap).find(errors).size(), 1u);
}

TEST(MemoryErrors, TheStackOfAThreadThatEnds) {
  const auto with = [](bool waits) {
    Case run(2);
    run.access(0, EventKind::AtomicWrite, Flag, 4, 0);
    run.fork(0, 1);
    run.add(1, EventKind::StackBegin, Object, 4096);
    run.write(1, Object + 64, 4, 1);
    run.access(1, EventKind::AtomicWrite, Flag, 4, 1);
    run.access(0, EventKind::AtomicRead, Flag, 4, 1);
    run.read(0, Object + 64, 4, 1);
    run.access(0, EventKind::AtomicWrite, Flag, 4, 2);
    if (waits) run.access(1, EventKind::AtomicRead, Flag, 4, 2);
    run.add(1, EventKind::StackEnd, Object, 4096);
    run.add(1, EventKind::ThreadEnd);
    return run.find(errors);
  };
  ASSERT_EQ(with(false).size(), 1u);
  EXPECT_NE(with(false)[0].note, "");
  EXPECT_TRUE(with(true).empty());
}

TEST(MemoryErrors, ObservedUseAndObservedDoubleFree) {
  Case run(1);
  run.add(0, EventKind::Alloc, Object, Bytes);
  run.add(0, EventKind::Free, Object, Bytes);
  run.read(0, Object + 8, 4, 0);
  run.read(0, Object + 8, 4, 0);
  run.add(0, EventKind::Free, Object, Bytes);
  const std::vector<Finding> found = run.find(errors);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].kind, FindingKind::UseAfterFree);
  EXPECT_EQ(found[0].status, witness::Status::Observed);
  EXPECT_EQ(found[0].count, 2u);
  EXPECT_EQ(found[1].kind, FindingKind::DoubleFree);
}

TEST(MemoryErrors, ReusedMemoryIsNew) {
  Case run(1);
  run.add(0, EventKind::Alloc, Object, Bytes);
  run.add(0, EventKind::Free, Object, Bytes);
  run.add(0, EventKind::Alloc, Object + 8, 4);
  run.read(0, Object + 8, 4, 0);
  run.add(0, EventKind::Free, Object + 8, 4);
  EXPECT_TRUE(run.find(errors).empty());
}

TEST(MemoryErrors, AFreeInsideALibraryIsNotPredicted) {
  const auto with = [](const char* called) {
    Case run = shared_object(Between::Nothing);
    const std::uint32_t call = run.site("a.cc", 7, "main", called);
    for (trace::Event& e : run.trace.events)
      if (e.kind == EventKind::Free) e.site = call;
    const std::size_t found = run.find(errors).size();
    EXPECT_EQ(run.coverage.reasons.size(), found == 0 ? 1u : 0u);
    return found;
  };
  EXPECT_EQ(with("free"), 1u);
  EXPECT_EQ(with("operator delete(void*)"), 1u);
  EXPECT_EQ(with("std::rethrow_exception(std::__exception_ptr::exception_ptr)"), 0u);
}

// --- places that were given out again -----------------------------------------------------------------------------

// With objects told apart, as every analysis has them.
std::vector<Finding> find_apart(Case run) {
  const trace::VerifyReport report = trace::verify(run.trace);
  EXPECT_TRUE(report.legal()) << (report.problems.empty() ? "" : report.problems[0].sentence);
  const trace::ObjectTable objects = trace::separate_objects(run.trace);
  const causality::Computation computation = causality::compute(run.trace, objects);
  const auto feasibility = make_feasibility(computation, witness::Model::Maximal, {});
  Coverage coverage;
  std::vector<Finding> found = find_memory_errors(run.trace, computation, *feasibility, {}, coverage, objects);
  witness::Checker checker(run.trace, &objects);
  for (const Finding& finding : found) EXPECT_EQ(checker.objection(finding).value_or(""), "");
  return found;
}

// Thread 1 frees what the pointer at Flag points to, and so does thread 2. Between them, thread 1 gets the same place
// again. If pointers are cleared when they are taken, it puts the new one where thread 2 looks.
Case freed_twice(bool cleared, EventKind second) {
  Case run(3);
  run.add(0, EventKind::Alloc, Object, Bytes);
  run.write(0, Flag, 8, Object);
  run.fork(0, 1);
  run.fork(0, 2);
  const auto take = [&](std::uint32_t thread) {
    run.lock(thread, Lock);
    run.read(thread, Flag, 8, Object);
    if (cleared) run.write(thread, Flag, 8, 0);
    run.unlock(thread, Lock);
  };
  take(1);
  run.add(1, EventKind::Free, Object, Bytes);
  run.add(1, EventKind::Alloc, Object, Bytes);
  run.lock(1, Lock);
  if (cleared) run.write(1, Flag, 8, Object);
  run.unlock(1, Lock);
  take(2);
  if (second == EventKind::Free) run.add(2, EventKind::Free, Object, Bytes);
  else run.write(2, Object, 4, 1);
  return run;
}

// Thread 1 uses the object that the pointer at Flag leads to, under a lock. Thread 2 then frees it and puts another one there,
// which happens to get the same place. In a run in which thread 1 comes later, it reads the same number, but finds the new object.
TEST(MemoryErrors, ThePointerToANewObjectAtTheSamePlaceIsAnotherOne) {
  Case run(3);
  run.add(0, EventKind::Alloc, Object, Bytes);
  run.write(0, Flag, 8, Object);
  run.fork(0, 1);
  run.fork(0, 2);
  run.lock(1, Lock);
  run.read(1, Flag, 8, Object);
  run.write(1, Object, 4, 1);
  run.unlock(1, Lock);
  run.lock(2, Lock);
  run.add(2, EventKind::Free, Object, Bytes);
  run.add(2, EventKind::Alloc, Object, Bytes);
  run.write(2, Flag, 8, Object);
  run.unlock(2, Lock);
  EXPECT_TRUE(find_apart(run).empty());
}

TEST(MemoryErrors, ADoubleFreeThatTheAllocatorHid) {
  const std::vector<Finding> found = find_apart(freed_twice(false, EventKind::Free));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, FindingKind::DoubleFree);
  EXPECT_EQ(found[0].status, witness::Status::Predicted);
  EXPECT_EQ(found[0].places[0].role, Role::Free);
  EXPECT_TRUE(find_apart(freed_twice(true, EventKind::Free)).empty()) << "it can only have the new block's address";
}

TEST(MemoryErrors, AUseThatTheAllocatorHid) {
  const std::vector<Finding> found = find_apart(freed_twice(false, EventKind::Write));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, FindingKind::UseAfterFree);
  EXPECT_TRUE(find_apart(freed_twice(true, EventKind::Write)).empty());
}

} // namespace
} // namespace sooth::predict
