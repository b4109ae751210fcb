// Uses after a function's return on hand-made traces, in pairs.
#include <gtest/gtest.h>

#include "predict/memory/memory_errors.h"
#include "unit/predict_case.h"

namespace sooth::predict {
namespace {

using testing::Case;
using trace::EventKind;
using witness::Finding;
using witness::Role;
using witness::Status;

constexpr std::uint64_t Stack = 0x100000, StackBytes = 0x1000, Local = Stack + 0x100, Slot = 0x2000, Semaphore = 0x3000;
constexpr std::uint32_t Own = 1, Function = 2, Other = 3; // sites

const auto frame_end_errors = [](auto&&... arguments) { return find_memory_errors(arguments...); };

// Thread 1 has a stack that is known. Thread 2 gets the address of one of its variables.
class Lending : public Case {
public:
  Lending() : Case(3) {
    trace.sites.resize(4);
    trace.sites[Own].flags = trace::kSiteOwnFrame;
    add(0, EventKind::SemInit, Semaphore, 0);
    fork(0, 1);
    fork(0, 2);
    add(1, EventKind::StackBegin, Stack, StackBytes);
  }
  void enter(std::uint32_t function = Function) {
    add(1, EventKind::Enter);
    trace.events.back().site = function;
  }
  void leave(std::uint64_t remaining = 0) { add(1, EventKind::Exit, 0, remaining); }
  void own_write(std::uint64_t address, std::uint64_t value) {
    write(1, address, 4, value);
    trace.events.back().site = Own;
  }
  void use(std::uint64_t value) {
    read(2, Local, 4, value);
    trace.events.back().site = Other;
  }
  void give() { access(1, EventKind::AtomicWrite, Slot, 4, 1); }
  void take() { access(2, EventKind::AtomicRead, Slot, 4, 1); }
  // In any case thread 1 does something else at last. That its stack ends with it is another story.
  void end() {
    write(1, Stack + 0x800, 4, 1);
    join(0, 2);
    join(0, 1);
  }
};

TEST(FrameEnds, TheFunctionMayReturnFirst) {
  Lending run;
  run.enter();
  run.own_write(Local, 7);
  run.give();
  run.take();
  run.use(7);
  run.leave();
  run.end();
  const std::vector<Finding> found = run.find(frame_end_errors);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, witness::FindingKind::UseAfterFree);
  EXPECT_EQ(found[0].status, Status::Predicted);
  EXPECT_EQ(found[0].places[0].role, Role::Use);
  EXPECT_EQ(run.trace.events[found[0].places[1].event].kind, EventKind::Exit);
}

TEST(FrameEnds, AFunctionThatWaitsIsThere) {
  Lending run;
  run.enter();
  run.own_write(Local, 7);
  run.give();
  run.take();
  run.use(7);
  run.add(2, EventKind::SemPost, Semaphore);
  run.add(1, EventKind::SemWait, Semaphore);
  run.leave();
  run.end();
  EXPECT_TRUE(run.find(frame_end_errors).empty());
}

TEST(FrameEnds, TheRecordedRunItselfMayHaveIt) {
  Lending run;
  run.enter();
  run.own_write(Local, 7);
  run.give();
  run.leave();
  run.take();
  run.use(7);
  run.end();
  const std::vector<Finding> found = run.find(frame_end_errors);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].status, Status::Observed);
}

// The bytes are those of a second call by now, which accesses them only through others, and waits.
TEST(FrameEnds, WhatALaterFunctionLendsIsItsOwn) {
  for (const bool told : {true, false}) {
    Lending run;
    run.enter();
    run.own_write(Local, 7);
    run.leave();
    run.enter(Other);
    if (told) run.give();
    else run.write(1, Stack + 0x900, 4, 1); // nobody else sees it
    if (told) run.take();
    run.use(7);
    run.add(2, EventKind::SemPost, Semaphore);
    run.add(1, EventKind::SemWait, Semaphore);
    run.leave();
    run.end();
    EXPECT_EQ(run.find(frame_end_errors).size(), told ? 0u : 1u);
  }
}

TEST(FrameEnds, OnlyWhatTheFunctionAccessedIsItsOwn) {
  Lending run;
  run.enter();
  run.own_write(Local + 4, 7);
  run.write(1, Local, 4, 7); // not by the function's own variable
  run.give();
  run.take();
  run.use(7);
  run.leave();
  run.end();
  EXPECT_TRUE(run.find(frame_end_errors).empty());
}

TEST(FrameEnds, ACalleeThatReturnsEndsNothingOfItsCaller) {
  Lending run;
  run.enter();
  run.own_write(Local, 7);
  run.give();
  run.enter(Other);
  run.take();
  run.use(7);
  run.leave(1);
  run.add(2, EventKind::SemPost, Semaphore);
  run.add(1, EventKind::SemWait, Semaphore);
  run.leave();
  run.end();
  EXPECT_TRUE(run.find(frame_end_errors).empty());
}

// Frames on other stacks end in another order.
TEST(FrameEnds, AThreadThatSwitchesStacksIsLeftOut) {
  Lending run;
  run.enter();
  run.own_write(0x900000, 1);
  run.own_write(Local, 7);
  run.give();
  run.take();
  run.use(7);
  run.leave();
  run.end();
  EXPECT_TRUE(run.find(frame_end_errors).empty());
}

} // namespace
} // namespace sooth::predict
