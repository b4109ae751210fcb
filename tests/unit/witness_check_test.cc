// The checker accepts right witnesses and rejects each kind of wrong one. Tests come in pairs: a witness that is right, and
// the smallest change that makes it wrong.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "verify_builder.h"
#include "witness/check.h"

namespace sooth::witness {
namespace {

using trace::EventKind;
using trace::testing::TraceBuilder;

constexpr std::uint64_t kX = 0x10, kY = 0x20, kLock = 0x30, kOther = 0x38, kCondition = 0x40, kBlock = 0x100;
using Steps = std::vector<std::uint32_t>;

// "" if it is accepted.
std::string verdict(const trace::Trace& trace, const Finding& finding) {
  return Checker(trace).objection(finding).value_or("");
}

Finding race(Steps steps, std::uint32_t a, std::uint32_t b, Model model = Model::Maximal) {
  Finding finding;
  finding.model = model;
  finding.places = {{a, Role::Access}, {b, Role::Access}};
  finding.witness.steps = std::move(steps);
  finding.witness.next = {a, b};
  return finding;
}

// A run that need not end in anything.
Finding run(Steps steps, Model model = Model::Maximal) {
  Finding finding;
  finding.kind = FindingKind::Property;
  finding.model = model;
  finding.witness.steps = std::move(steps);
  return finding;
}

void expect_rejected(const trace::Trace& trace, const Finding& finding, const std::string& reason) {
  EXPECT_NE(verdict(trace, finding).find(reason), std::string::npos) << "instead: \"" << verdict(trace, finding) << '"';
}
#define EXPECT_ACCEPTED(trace, finding) EXPECT_EQ(verdict(trace, finding), "")

// Maximal models, Fig. 1(b).
trace::Trace figure_1b() {
  TraceBuilder b(2);
  b.add(0, EventKind::Acquire, kLock);
  b.write(0, kX, 1, 1);
  b.add(0, EventKind::Release, kLock);
  b.write(0, kY, 1, 1);
  b.add(0, EventKind::Acquire, kLock);
  b.write(0, kX, 1, 1);
  b.add(0, EventKind::Release, kLock);
  b.add(1, EventKind::Acquire, kLock);
  b.read(1, kX, 1, 1);
  b.write(1, kY, 1, 2);
  b.add(1, EventKind::Release, kLock);
  return b.trace;
}

TEST(WitnessCheck, Figure1bIsAcceptedUnderTheMaximalModelAlone) {
  EXPECT_ACCEPTED(figure_1b(), race({0, 1, 2, 7, 8}, 3, 9));
  EXPECT_ACCEPTED(figure_1b(), run({0, 1, 2, 7}, Model::WeakHappensBefore));
  expect_rejected(figure_1b(), race({0, 1, 2, 7, 8}, 3, 9, Model::WeakHappensBeforeLocks), "does not see the write");
  expect_rejected(figure_1b(), race({0, 1, 2, 7, 8}, 3, 9, Model::HappensBeforeLocks), "conflicting access");
  expect_rejected(figure_1b(), race({0, 1, 2, 7, 8}, 3, 9, Model::HappensBefore), "order in which the lock was used");
}

TEST(WitnessCheck, TheObservedPartMayBeGivenAsANumber) {
  Finding finding = race({7, 8}, 3, 9);
  finding.witness.observed = 3;
  EXPECT_ACCEPTED(figure_1b(), finding);
  finding.witness.observed = 99;
  expect_rejected(figure_1b(), finding, "more events than the trace has");
}

TEST(WitnessCheck, EventsOutOfTheirThreadsOrderAreRejected) {
  expect_rejected(figure_1b(), race({1, 0, 2, 7, 8}, 3, 9), "where thread 0 has done 0 events");
  expect_rejected(figure_1b(), race({0, 1, 2, 8}, 3, 9), "where thread 1 has done 0 events");
  expect_rejected(figure_1b(), race({0, 1, 2, 7, 77}, 3, 9), "not in the trace");
}

TEST(WitnessCheck, TwoHoldersOfALockAreRejected) {
  expect_rejected(figure_1b(), race({0, 1, 7, 8}, 2, 9), "not legal");
}

TEST(WitnessCheck, AReadOfAnotherValueIsRejected) {
  TraceBuilder b(2);
  b.read(0, kX, 4, 0);
  b.write(0, kX + 2, 1, 5);
  b.read(1, kX, 4, 0x50000);
  b.write(1, kY, 1, 1);
  EXPECT_ACCEPTED(b.trace, run({0, 1, 2, 3}));
  expect_rejected(b.trace, run({0, 2, 3}), "does not see the value that it saw, at byte 0x12");
}

TEST(WitnessCheck, AReadOfWhatNobodySawIsRejected) {
  TraceBuilder b(2);
  b.write(0, kX, 1, 1);
  b.read(1, kX, 1, 1);
  b.write(1, kX, 1, 1); // the same value, later
  EXPECT_ACCEPTED(b.trace, run({0, 1, 2}));
  expect_rejected(b.trace, run({1}), "does not see the value"); // memory had an unknown value at the beginning
}

TEST(WitnessCheck, WithoutValuesAReadSeesItsWrite) {
  TraceBuilder b(2);
  b.write(0, kX, 1, 0);
  b.write(1, kX, 1, 0);
  b.read(1, kX, 1, 0);
  EXPECT_ACCEPTED(b.trace, run({1, 0, 2}));
  b.trace.flags |= trace::kNoValues;
  EXPECT_ACCEPTED(b.trace, run({0, 1, 2}));
  expect_rejected(b.trace, run({1, 0, 2}), "does not see the value");
}

TEST(WitnessCheck, HappensBeforeKeepsConflictsAndLocks) {
  TraceBuilder b(2);
  b.read(0, kX, 1, 0);
  b.add(0, EventKind::Acquire, kLock);
  b.add(0, EventKind::Release, kLock);
  b.add(1, EventKind::Acquire, kLock);
  b.add(1, EventKind::Release, kLock);
  b.write(1, kX, 1, 0);
  EXPECT_ACCEPTED(b.trace, run({0, 1, 2, 3, 4, 5}, Model::HappensBefore));
  EXPECT_ACCEPTED(b.trace, run({0, 3, 4, 5}, Model::HappensBeforeLocks));
  expect_rejected(b.trace, run({0, 3}, Model::HappensBefore), "order in which the lock was used");
  EXPECT_ACCEPTED(b.trace, run({3, 4, 5}, Model::WeakHappensBefore));
  expect_rejected(b.trace, run({3, 4, 5}, Model::HappensBeforeLocks), "conflicting access");
}

TEST(WitnessCheck, WeakHappensBeforeRefusesALockThatIsNeverReleased) {
  TraceBuilder b(1);
  b.add(0, EventKind::Acquire, kLock);
  EXPECT_ACCEPTED(b.trace, run({0}, Model::WeakHappensBeforeLocks));
  expect_rejected(b.trace, run({0}, Model::WeakHappensBefore), "never released");
}

TEST(WitnessCheck, ARaceIsBetweenConflictingAccessesThatAreNext) {
  TraceBuilder b(2);
  b.write(0, kX, 4, 1);
  b.write(0, kX, 4, 2);
  b.write(1, kX + 3, 1, 1);
  b.write(1, kX + 4, 1, 1);
  EXPECT_ACCEPTED(b.trace, race({}, 0, 2));
  EXPECT_ACCEPTED(b.trace, race({0}, 1, 2));
  expect_rejected(b.trace, race({0}, 0, 2), "has already done");
  expect_rejected(b.trace, race({}, 1, 2), "ends before event 0");
  expect_rejected(b.trace, race({2}, 0, 3), "different bytes");
  expect_rejected(b.trace, race({}, 0, 0), "before two events");
  Finding other = race({}, 0, 2);
  other.places[1].event = 3;
  expect_rejected(b.trace, other, "not about");
}

TEST(WitnessCheck, ReadsAndAtomicAccessesDoNotRace) {
  TraceBuilder b(3);
  b.read(0, kX, 1, 0);
  b.access(1, EventKind::AtomicWrite, kX, 1, 0);
  b.access(2, EventKind::AtomicRead, kX, 1, 0);
  EXPECT_ACCEPTED(b.trace, race({}, 0, 1));
  expect_rejected(b.trace, race({}, 0, 2), "Neither");
  expect_rejected(b.trace, race({}, 1, 2), "atomic");
}

TEST(WitnessCheck, MergedWritesAreNobodysFinding) { // rule 2
  TraceBuilder b(2);
  b.write(0, kX, 1, 1);
  b.write(0, kX, 1, 2).flags = trace::kMerged;
  b.write(1, kX, 1, 3);
  EXPECT_ACCEPTED(b.trace, race({}, 0, 2));
  expect_rejected(b.trace, race({0}, 1, 2), "stands for several writes");
}

TEST(WitnessCheck, NobodyComesIntoAHold) { // rule 1
  TraceBuilder b(2);
  b.write(0, kX, 1, 1).flags = trace::kHeld;
  b.write(0, kY, 1, 1);
  b.add(0, EventKind::Fence, 0, 0, trace::kTicket).order = trace::MemoryOrder::SeqCst;
  b.write(1, kX, 1, 1);
  EXPECT_ACCEPTED(b.trace, run({3, 0, 1}));
  EXPECT_ACCEPTED(b.trace, run({0, 1, 3})); // over with the last event of the segment
  expect_rejected(b.trace, run({0, 3}), "holds byte 0x10");
  b.trace.events[0].kind = EventKind::Read;
  b.trace.events[3].kind = EventKind::Read;
  EXPECT_ACCEPTED(b.trace, run({0, 3})); // a held read lets others read
}

TEST(WitnessCheck, NobodyComesIntoAGluedBlock) { // rule 3
  TraceBuilder b(2);
  b.write(0, kX, 1, 1).flags = trace::kGlued;
  b.write(0, kY, 1, 1);
  b.write(1, kY, 1, 1);
  EXPECT_ACCEPTED(b.trace, run({0, 1, 2}));
  expect_rejected(b.trace, run({0, 2, 1}), "stays together");
  expect_rejected(b.trace, race({0}, 1, 2), "stays together");
  EXPECT_ACCEPTED(b.trace, race({}, 1, 2)); // both stand before the block
}

TEST(WitnessCheck, BranchesAndCallsClingToTheEventBeforeThem) {
  TraceBuilder b(2);
  b.read(0, kX, 1, 0);
  b.add(0, EventKind::Branch, 0, 1);
  b.write(0, kY, 1, 1);
  b.write(1, kY, 1, 1);
  EXPECT_ACCEPTED(b.trace, run({0, 1, 3, 2}));
  expect_rejected(b.trace, run({0, 3, 1, 2}), "comes between");
  EXPECT_ACCEPTED(b.trace, race({0}, 2, 3)); // a branch is nothing that anybody notices
}

TEST(WitnessCheck, NothingFollowsAReadThatIsNotKnown) { // rule 4
  TraceBuilder b(2);
  b.write(0, kX, 1, 1);
  b.range(1, EventKind::Read, kX, {1}).flags = trace::kGlued;
  b.read(1, kY, 1, 0);
  b.write(1, kY + 1, 1, 0);
  b.write(0, kY + 1, 1, 0);
  expect_rejected(b.trace, run({0, 1, 2}), "is not known");
  expect_rejected(b.trace, race({0, 1, 2}, 3, 4), "is not known");
  // With synchronisation between the two it is.
  trace::Trace ordered = b.trace;
  TraceBuilder fence(2);
  fence.add(0, EventKind::Acquire, kLock);
  fence.add(0, EventKind::Release, kLock);
  fence.add(1, EventKind::Acquire, kLock);
  fence.add(1, EventKind::Release, kLock);
  ordered.events.insert(ordered.events.begin() + 1, fence.trace.events.begin(), fence.trace.events.end());
  EXPECT_ACCEPTED(ordered, race({0, 1, 2, 3, 4, 5, 6}, 7, 8));
}

TEST(WitnessCheck, ThreadsBeginAfterTheirForkAndAreJoinedAfterTheirEnd) {
  TraceBuilder b(2);
  b.write(0, kX, 1, 1);
  b.add(0, EventKind::Fork, 0, 1);
  b.write(1, kX, 1, 1); // no thread-start: an imported trace
  b.write(1, kY, 1, 1);
  b.add(0, EventKind::Join, 0, 1);
  b.write(0, kY, 1, 2);
  EXPECT_ACCEPTED(b.trace, run({0, 1, 2, 3, 4, 5}));
  expect_rejected(b.trace, run({2}), "before event 1");
  expect_rejected(b.trace, race({}, 0, 2), "is not there before event 1");
  expect_rejected(b.trace, run({0, 1, 2, 4}), "has come to its end");
}

TEST(WitnessCheck, AnnotatedOrderIsKept) {
  TraceBuilder b(2);
  b.add(0, EventKind::HbRelease, kX);
  b.add(1, EventKind::HbAcquire, kX);
  EXPECT_ACCEPTED(b.trace, run({0, 1}));
  expect_rejected(b.trace, run({1}), "before event 0");
}

TEST(WitnessCheck, WhatComesFromOutsideStaysBehindAllBeforeIt) {
  TraceBuilder b(2);
  b.write(0, kX, 1, 1);
  b.access(1, EventKind::ExternalWrite, kX, 1, 7);
  b.read(1, kX, 1, 7);
  b.write(0, kY, 1, 1);
  b.add(1, EventKind::Receive);
  EXPECT_ACCEPTED(b.trace, run({0, 1, 2, 3, 4}));
  expect_rejected(b.trace, run({1, 2}), "came from outside");
  expect_rejected(b.trace, run({0, 1, 3}), "stays together");
  expect_rejected(b.trace, run({0, 1, 2, 4}), "came from outside");
}

TEST(WitnessCheck, ATryFailsOnlyIfSomebodyElseHasTheLock) {
  TraceBuilder b(2);
  b.add(0, EventKind::Acquire, kLock);
  b.add(1, EventKind::Acquire, kLock, trace::kLockTry, trace::kFailed);
  b.add(0, EventKind::Release, kLock);
  b.write(1, kX, 1, 1);
  EXPECT_ACCEPTED(b.trace, run({0, 1, 2, 3}));
  expect_rejected(b.trace, run({1}), "nobody else has the lock");
  expect_rejected(b.trace, run({0, 2, 1}), "nobody else has the lock");
}

TEST(WitnessCheck, ASemaphoreGivesNoMoreThanItHas) {
  TraceBuilder b(2);
  b.add(0, EventKind::SemPost, kX); // its first count is not known, but 0 is enough
  b.add(1, EventKind::SemWait, kX);
  EXPECT_ACCEPTED(b.trace, run({0, 1}));
  expect_rejected(b.trace, run({1}), "count is 0");
}

TEST(WitnessCheck, AccessesStayInsideTheLifeOfTheirObject) {
  TraceBuilder b(2);
  b.add(0, EventKind::Alloc, kBlock, 16);
  b.write(1, kBlock, 1, 1);
  b.write(1, kBlock, 1, 2);
  b.add(0, EventKind::Free, kBlock, 16);
  EXPECT_ACCEPTED(b.trace, run({0, 1, 2, 3}));
  expect_rejected(b.trace, run({1}), "before event 0");
  expect_rejected(b.trace, run({0, 3, 1}), "after event 3");
  Finding use;
  use.kind = FindingKind::UseAfterFree;
  use.places = {{2, Role::Use}, {3, Role::Free}};
  use.witness.steps = {0, 1, 3};
  use.witness.next = {2};
  EXPECT_ACCEPTED(b.trace, use);
  use.witness.steps = {0, 1};
  expect_rejected(b.trace, use, "has not ended the object");
}

TEST(WitnessCheck, ADoubleFreeFreesWhatIsFree) {
  TraceBuilder b(2);
  b.add(0, EventKind::Alloc, kBlock, 16);
  b.add(0, EventKind::Free, kBlock, 16);
  b.add(1, EventKind::Free, kBlock, 16);
  Finding finding;
  finding.kind = FindingKind::DoubleFree;
  finding.places = {{2, Role::Free}, {1, Role::Free}};
  finding.witness.observed = 2;
  finding.witness.next = {2};
  EXPECT_ACCEPTED(b.trace, finding);
  finding.witness.observed = 1;
  expect_rejected(b.trace, finding, "was not freed");
}

trace::Trace two_locks(std::uint64_t type = 0) {
  TraceBuilder b(2);
  b.add(0, EventKind::Acquire, kLock);
  b.add(0, EventKind::Acquire, kOther, type);
  b.add(0, EventKind::Release, kOther);
  b.add(0, EventKind::Release, kLock);
  b.add(1, EventKind::Acquire, kOther);
  b.add(1, EventKind::Acquire, kLock);
  b.add(1, EventKind::Release, kLock);
  b.add(1, EventKind::Release, kOther);
  return b.trace;
}
Finding deadlock(Steps steps, Steps next) {
  Finding finding;
  finding.kind = FindingKind::Deadlock;
  finding.witness.steps = std::move(steps);
  finding.witness.next = next;
  for (const std::uint32_t request : next) finding.places.push_back({request, Role::Request});
  return finding;
}

TEST(WitnessCheck, ADeadlockIsACircleOfRequests) {
  EXPECT_ACCEPTED(two_locks(), deadlock({0, 4}, {1, 5}));
  expect_rejected(two_locks(), deadlock({0, 1, 2, 3, 4}, {5}), "does not wait for another thread");
  expect_rejected(two_locks(), deadlock({4}, {0, 5}), "does not wait for another thread");
  expect_rejected(two_locks(trace::kLockTry), deadlock({0, 4}, {1, 5}), "does not wait for ever");
  Finding wrong = deadlock({0, 4}, {1, 5});
  wrong.places.push_back({2, Role::Hold});
  expect_rejected(two_locks(), wrong, "takes a lock");
}

TEST(WitnessCheck, AJoinWaitsForAThreadThatWaits) {
  TraceBuilder b(2);
  b.add(0, EventKind::Fork, 0, 1);
  b.add(1, EventKind::ThreadStart, 0, 0);
  b.add(1, EventKind::Acquire, kLock);
  b.add(1, EventKind::Release, kLock);
  b.add(1, EventKind::ThreadEnd);
  b.add(0, EventKind::Acquire, kLock);
  b.add(0, EventKind::Join, 0, 1);
  b.add(0, EventKind::Release, kLock);
  EXPECT_ACCEPTED(b.trace, deadlock({0, 1, 5}, {2, 6}));
  expect_rejected(b.trace, deadlock({0, 1}, {2, 5}), "does not wait for another thread");
}

// Thread 1 posts after it had the lock; thread 2 waits for that with the lock. Thread 3 has an end of its own, or none.
trace::Trace post_behind_a_lock(bool third_ends) {
  constexpr std::uint64_t semaphore = 0x500;
  TraceBuilder b(4);
  b.add(0, EventKind::SemInit, semaphore, 0); // 0
  for (std::uint32_t child = 1; child < 4; ++child) b.add(0, EventKind::Fork, 0, child);
  b.add(1, EventKind::Acquire, kLock); // 4
  b.add(1, EventKind::Release, kLock);
  b.add(1, EventKind::SemPost, semaphore);
  b.add(1, EventKind::ThreadEnd);
  b.add(2, EventKind::Acquire, kLock);                                                          // 8
  b.add(2, EventKind::SemWait, semaphore);                                                      // 9
  b.add(2, EventKind::Release, kLock);                                                          // 10
  b.add(2, EventKind::ThreadEnd);                                                               // 11
  b.add(3, third_ends ? EventKind::ThreadEnd : EventKind::SemPost, third_ends ? 0 : semaphore); // 12
  b.add(0, EventKind::Join, 0, 2);                                                              // 13
  return b.trace;
}

TEST(WitnessCheck, WhatHasNoOwnerIsMissingForEverOnlyIfNobodyIsLeft) {
  EXPECT_ACCEPTED(post_behind_a_lock(true), deadlock({0, 1, 2, 3, 8, 12}, {4, 9, 13}));
  expect_rejected(post_behind_a_lock(true), deadlock({0, 1, 2, 3, 8}, {4, 9, 13}), "Thread 3 may still go on");
  expect_rejected(post_behind_a_lock(true), deadlock({0, 1, 2, 3, 8, 12}, {4, 9}), "Thread 0 may still go on");
  expect_rejected(post_behind_a_lock(false), deadlock({0, 1, 2, 3, 8}, {4, 9, 13}), "Thread 3 may still go on");
  expect_rejected(post_behind_a_lock(false), deadlock({0, 1, 2, 3, 8, 12}, {4, 9, 13}), "does not wait for another");
}

trace::Trace wait_and_signal(bool second_signal, bool ends = true) {
  TraceBuilder b(2);
  b.add(0, EventKind::Acquire, kLock);
  b.add(0, EventKind::Wait, kCondition, kLock);
  b.add(1, EventKind::Signal, kCondition);
  b.add(0, EventKind::Wake, kCondition, kLock);
  b.add(0, EventKind::Release, kLock);
  if (second_signal) b.add(1, EventKind::Signal, kCondition);
  if (ends) b.add(1, EventKind::ThreadEnd);
  return b.trace;
}

TEST(WitnessCheck, AWakeUpIsLostIfNoSignalCanComeAnyMore) {
  Finding finding;
  finding.kind = FindingKind::LostWakeup;
  finding.places = {{1, Role::Wait}, {2, Role::Signal}};
  finding.witness.steps = {0, 2};
  finding.witness.next = {1};
  EXPECT_ACCEPTED(wait_and_signal(false), finding);
  expect_rejected(wait_and_signal(true), finding, "may still come");
  expect_rejected(wait_and_signal(false, false), finding, "may signal again");
  finding.witness.steps = {0};
  expect_rejected(wait_and_signal(false), finding, "may still come");
}

TEST(WitnessCheck, ABlockIsBrokenByWhatComesInside) {
  TraceBuilder b(2);
  b.add(0, EventKind::AtomicBegin, 1);
  b.read(0, kX, 1, 0);
  b.read(0, kX, 1, 0);
  b.add(0, EventKind::AtomicEnd, 1);
  b.write(1, kX, 1, 1);
  Finding finding;
  finding.kind = FindingKind::Atomicity;
  finding.places = {{0, Role::BlockBegin}, {3, Role::BlockEnd}, {4, Role::Interleaved}, {2, Role::Access}};
  finding.witness.steps = {0, 1, 4};
  finding.witness.next = {2};
  EXPECT_ACCEPTED(b.trace, finding);
  trace::Trace harmless = b.trace;
  harmless.events[4].value = 0;
  expect_rejected(harmless, finding, "go on as it did");

  // A block that goes on as it did is broken if what came inside conflicts with what it did before and does then.
  TraceBuilder lost(2);
  lost.add(0, EventKind::AtomicBegin, 1);
  lost.read(0, kX, 1, 0);
  lost.write(0, kX, 1, 1);
  lost.add(0, EventKind::AtomicEnd, 1);
  lost.write(1, kX, 1, 2);
  Finding update = finding;
  update.witness.steps = {0, 1, 4, 2, 3};
  update.witness.next = {};
  EXPECT_ACCEPTED(lost.trace, update);
  trace::Trace apart = lost.trace;
  apart.events[4].address = kY;
  expect_rejected(apart, update, "go on as it did");
  finding.witness.steps = {4, 0, 1};
  expect_rejected(b.trace, finding, "does not see the value");
  finding.witness.steps = {0, 1};
  expect_rejected(b.trace, finding, "not inside the block");
}

trace::Trace message(trace::MemoryOrder order) {
  TraceBuilder b(2);
  b.write(0, kX, 4, 42);
  b.access(0, EventKind::AtomicWrite, kY, 4, 1).order = order;
  b.access(1, EventKind::AtomicRead, kY, 4, 1).order =
      order == trace::MemoryOrder::Release ? trace::MemoryOrder::Acquire : order;
  b.read(1, kX, 4, 42);
  return b.trace;
}

TEST(WitnessCheck, ARaceOfTheMemoryModelIsUnorderedInTheRecordedRun) {
  Finding finding;
  finding.status = Status::Observed;
  finding.model = Model::HappensBefore;
  finding.engine = "memory-model";
  finding.places = {{0, Role::Access}, {3, Role::Access}};
  finding.witness.observed = 4;
  EXPECT_ACCEPTED(message(trace::MemoryOrder::Relaxed), finding);
  expect_rejected(message(trace::MemoryOrder::Release), finding, "happens before");
  expect_rejected(message(trace::MemoryOrder::SeqCst), finding, "happens before");
  finding.witness.observed = 3;
  expect_rejected(message(trace::MemoryOrder::Relaxed), finding, "does not come to");
}

TEST(WitnessCheck, OneCheckerServesManyWitnesses) {
  const trace::Trace trace = figure_1b();
  Checker checker(trace);
  EXPECT_FALSE(checker.objection(race({0, 1, 2, 7, 8}, 3, 9)));
  EXPECT_TRUE(checker.objection(race({0, 1, 7, 8}, 2, 9)));
  EXPECT_FALSE(checker.objection(race({0, 1, 2, 7, 8}, 3, 9))); // nothing is left over from the one before
}

} // namespace
} // namespace sooth::witness
