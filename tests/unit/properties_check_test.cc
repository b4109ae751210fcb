// Properties on the recorded run and on others: what counts as observed, and what --first and --all tell.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "unit/property_program.h"

namespace sooth {
namespace {

using explore::Until;
using testing::kLanding;
using testing::landing;
using trace::EventKind;
using witness::Status;
using Program = testing::PropertyProgram;

constexpr std::uint64_t kLock = 0x9000;

std::vector<std::string> unordered(const witness::Finding& finding) {
  std::vector<std::string> out;
  for (const witness::RunStep& step : finding.run.unordered) out.push_back(step.what);
  return out;
}

// A write in a section of the lock.
void locked_set(Program& p, std::uint32_t thread, const std::string& name, int value) {
  p.add(thread, EventKind::Acquire, kLock);
  p.set(thread, name, value);
  p.add(thread, EventKind::Release, kLock);
}

TEST(RecordedRun, WhatTheRecordingOrdersIsObserved) {
  Program p(3, {{"a", 0}, {"b", 0}});
  locked_set(p, 1, "a", 1);
  locked_set(p, 2, "b", 1);
  const properties::PropertyAnswer answer = p.check("property b_first: a == 1 -> b == 1");
  ASSERT_EQ(answer.findings.size(), 1u);
  EXPECT_EQ(answer.findings[0].status, Status::Observed);
  EXPECT_TRUE(answer.findings[0].run.unordered.empty());
}

TEST(RecordedRun, WhatOnlyTheOrderOfTheTraceSaysIsPredicted) {
  Program p(3, {{"a", 0}, {"b", 0}});
  p.set(1, "a", 1);
  p.set(2, "b", 1);
  const properties::PropertyAnswer answer = p.check("property b_first: a == 1 -> b == 1");
  ASSERT_EQ(answer.findings.size(), 1u);
  EXPECT_EQ(answer.findings[0].status, Status::Predicted);
  EXPECT_EQ(unordered(answer.findings[0]), (std::vector<std::string>{"a = 1", "b = 1"}));
}

TEST(RecordedRun, AtomicOperationsOnTheSamePlaceAreInTheirOrderPlainOnesAreNot) {
  for (const bool atomic : {true, false}) {
    Program p(3, {{"a", 0}});
    const EventKind write = atomic ? EventKind::AtomicWrite : EventKind::Write;
    p.access(1, write, p.address("a"), 4, 2);
    p.access(2, write, p.address("a"), 4, 1);
    const properties::PropertyAnswer answer = p.check("property ascends: a == 1 -> !(previously a == 2)");
    ASSERT_EQ(answer.findings.size(), 1u);
    EXPECT_EQ(answer.findings[0].status, atomic ? Status::Observed : Status::Predicted);
  }
}

TEST(RecordedRun, JoiningOrders) {
  Program p(2, {{"a", 0}, {"b", 0}});
  p.set(1, "a", 1);
  p.add(1, EventKind::ThreadEnd);
  p.add(0, EventKind::Join, 0, 1);
  p.set(0, "b", 1);
  const properties::PropertyAnswer answer = p.check("property b_first: a == 1 -> b == 1");
  ASSERT_EQ(answer.findings.size(), 1u);
  EXPECT_EQ(answer.findings[0].status, Status::Observed);
}

TEST(RecordedRun, WhatFailsInEveryOrderIsObservedThoughTheOrderIsNotKnown) {
  Program p(3, {{"a", 0}});
  p.set(1, "a", 7);
  p.set(2, "a", 1);
  const properties::PropertyAnswer answer = p.check("property small: a < 5");
  ASSERT_EQ(answer.findings.size(), 1u);
  EXPECT_EQ(answer.findings[0].status, Status::Observed);
}

TEST(RecordedRun, AnEventBehindTheViolationMayHaveBeenBeforeIt) {
  Program p(3, {{"a", 0}, {"b", 0}});
  p.set(1, "a", 1);
  p.set(2, "b", 1);
  const properties::PropertyAnswer answer = p.check("property b_first: start(a == 1) -> b == 1");
  ASSERT_EQ(answer.findings.size(), 1u);
  EXPECT_EQ(answer.findings[0].run.steps.size(), 1u);
  EXPECT_EQ(answer.findings[0].status, Status::Predicted);
  EXPECT_EQ(unordered(answer.findings[0]), (std::vector<std::string>{"a = 1", "b = 1"}));
}

// Example 2, in the order that the reader restored although z was written first.
TEST(RecordedRun, Example2InAnotherOrderIsPredicted) {
  Program p(3, {{"x", -1}, {"y", 0}, {"z", 0}});
  p.get(1, "x", -1);
  p.set(1, "x", 0);
  p.get(1, "x", 0);
  p.set(1, "y", 1);
  p.get(2, "x", 0);
  p.set(2, "z", 1);
  p.get(2, "x", 0);
  p.set(2, "x", 1);
  const properties::PropertyAnswer answer = p.check("property order: (x > 0) -> [y == 0, y > z)");
  ASSERT_EQ(answer.findings.size(), 1u);
  EXPECT_EQ(answer.findings[0].status, Status::Predicted);
  EXPECT_EQ(unordered(answer.findings[0]), (std::vector<std::string>{"y = 1", "z = 1"}));
  EXPECT_EQ(answer.counted->violating.at(0).text(), "1");
}

// Counts mean the same under every model, or are not given; they do not contradict the findings.
TEST(Counts, AreOfAllOrdersOfWhatThePropertySeesOrOfNone) {
  Program p(3, {{"a", 0}, {"b", 0}});
  locked_set(p, 1, "a", 1);
  locked_set(p, 2, "b", 1);
  p.set(1, "b", 2);
  const std::string property = "property b_first: a == 1 -> b >= 1";
  const auto counted = [&](std::string_view model, std::uint64_t width) {
    return p.check(property, explore::Until::EachMonitor, model, width).counted.has_value();
  };
  EXPECT_TRUE(counted("hb", 0));
  EXPECT_FALSE(counted("maximal", 0)); // its runs also differ in who has the lock
  Program q(3, {{"a", 0}, {"b", 0}});
  q.set(1, "a", 1);
  q.set(2, "b", 1);
  q.set(2, "b", 2);
  const std::string other = "property a_first: b == 2 -> a == 1"; // fails behind the cut without a
  EXPECT_EQ(q.check(other).findings.size(), 1u);
  EXPECT_TRUE(q.check(other).counted.has_value());
  const properties::PropertyAnswer narrow = q.check(other, explore::Until::EachMonitor, "hb", 1);
  EXPECT_TRUE(narrow.findings.empty()); // the cut was left out, and so are the counts
  EXPECT_FALSE(narrow.counted.has_value());
}

TEST(RecordedRun, LandingWithTheRadioDownIsObservedOnlyIfSomethingTellsThatItWasDownBefore) {
  Program p = landing(true);
  const properties::PropertyAnswer raced = p.check(kLanding);
  ASSERT_EQ(raced.findings.size(), 1u);
  EXPECT_EQ(raced.findings[0].status, Status::Predicted);
  Program q(3, {{"landing", 0}, {"approved", 0}, {"radio", 1}});
  locked_set(q, 1, "approved", 1);
  locked_set(q, 2, "radio", 0);
  locked_set(q, 1, "landing", 1);
  const properties::PropertyAnswer ordered = q.check(kLanding);
  ASSERT_EQ(ordered.findings.size(), 1u);
  EXPECT_EQ(ordered.findings[0].status, Status::Observed);
  EXPECT_TRUE(ordered.findings[0].witness.steps.empty());
}

TEST(RecordedRun, NothingIsPredictedWhereSynchronisationIsNotRecorded) {
  Program safe = landing(false);
  safe.trace.process.unsupported = {{"swapcontext", 1}};
  const properties::PropertyAnswer nothing = safe.check(kLanding);
  EXPECT_TRUE(nothing.findings.empty());
  EXPECT_FALSE(nothing.complete);
  ASSERT_EQ(nothing.bounds.size(), 1u);
  EXPECT_NE(nothing.bounds[0].find("swapcontext"), std::string::npos);
  // An order that the trace only happens to have would be a prediction, too.
  Program unsafe = landing(true);
  unsafe.trace.process.unsupported = {{"swapcontext", 1}};
  const properties::PropertyAnswer doubtful = unsafe.check(kLanding);
  EXPECT_TRUE(doubtful.findings.empty());
  ASSERT_EQ(doubtful.bounds.size(), 2u);
  EXPECT_NE(doubtful.bounds[1].find("`safe` may have failed"), std::string::npos);
  const properties::PropertyAnswer observed = unsafe.check("property down: radio == 1");
  ASSERT_EQ(observed.findings.size(), 1u);
  EXPECT_EQ(observed.findings[0].status, Status::Observed);
}

TEST(FirstAndAll, TheFirstViolationIsOne) {
  const std::string two = "property up: a < 2\nproperty low: a < 1\n", other = "property apart: a == 0 || b == 0\n";
  Program p(3, {{"a", 0}, {"b", 0}});
  p.set(1, "a", 1);
  p.set(2, "b", 1);
  p.set(1, "a", 2);
  const properties::PropertyAnswer observed = p.check(two + other, Until::First);
  ASSERT_EQ(observed.findings.size(), 1u);
  EXPECT_EQ(observed.findings[0].property, "low"); // fails a step before `up`
  EXPECT_EQ(observed.findings[0].status, Status::Observed);
  const std::string order = "property one: start(a == 1) -> b == 1\nproperty two: start(b == 1) -> a == 1\n";
  const properties::PropertyAnswer predicted = p.check(order, Until::First);
  ASSERT_EQ(predicted.findings.size(), 1u);
  EXPECT_EQ(predicted.findings[0].status, Status::Predicted);
  EXPECT_EQ(p.check(order, Until::EachMonitor).findings.size(), 2u);
}

TEST(FirstAndAll, EveryCutInWhichItCanFailFirstIsAFinding) {
  Program p(3, {{"a", 0}, {"b", 0}});
  for (const std::uint32_t thread : {1, 2})
    for (int i = 1; i < 4; ++i) p.set(thread, thread == 1 ? "a" : "b", i);
  const properties::PropertyAnswer answer = p.check("property apart: a < 2 || b < 2", Until::All);
  std::vector<std::vector<std::uint32_t>> cuts;
  for (const witness::Finding& finding : answer.findings) cuts.push_back(finding.run.cut);
  std::ranges::sort(cuts);
  EXPECT_EQ(cuts, (std::vector<std::vector<std::uint32_t>>{{0, 2, 2}, {0, 2, 3}, {0, 3, 2}}));
}

// Where everything is in sections of one lock, the trace's order is what happened.
RC_GTEST_PROP(RecordedRun, IsCertainWhereOneLockOrdersEverything, ()) {
  Program p(3, {{"a", 0}, {"b", 0}});
  for (int i = *rc::gen::inRange(1, 12); i > 0; --i)
    locked_set(p, *rc::gen::inRange<std::uint32_t>(0, 3), *rc::gen::element<std::string>("a", "b"),
               *rc::gen::inRange(0, 4));
  for (const witness::Finding& finding :
       p.check("property one: a <= b\nproperty two: a == 3 -> once b == 2").findings) {
    RC_ASSERT(finding.status == Status::Observed);
    RC_ASSERT(finding.run.unordered.empty());
  }
}

} // namespace
} // namespace sooth
