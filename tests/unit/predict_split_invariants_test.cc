// Blocks that nobody marked: two variables that belong together, changed in two critical sections.
#include <vector>

#include <gtest/gtest.h>

#include "predict/atomicity/unmarked_blocks.h"
#include "predict_case.h"

namespace sooth::predict {
namespace {

using testing::Case;
using trace::EventKind;

struct Transfer {
  bool one_section = false;  // both variables change in one
  bool both = false;         // the first section changes both, and the second one of them again
  bool other_lock = false;   // the second section is of another lock
  bool between = false;      // another section of the lock is between the two
  bool one_call = true;      // else the two writes are in calls that have nothing to do with each other
  bool reads = false;        // what it writes
  bool other_writes = false; // the second thread does the same; else it looks at both
  bool other_splits = false; // it looks at them in two sections
  bool other_waits = false;  // its section is the way to a wait
  bool ordered = false;      // the second thread is created behind
};

std::vector<Suggestion> splits_of(const Transfer& how) {
  constexpr std::uint64_t kFrom = 0x100, kTo = 0x200, kLock = 0x1000, kOther = 0x2000, kCondition = 0x3000;
  Case c(3);
  const std::uint32_t function = c.site("a.c", 1, "move", ""), from = c.site("a.c", 2, "move", "from"),
                      to = c.site("a.c", 3, "move", "to"), look = c.site("a.c", 9, "total", "from");
  std::uint32_t values[2] = {0, 0};
  const auto change = [&](std::uint32_t thread, int which) {
    const std::uint64_t address = which == 0 ? kFrom : kTo;
    const std::uint32_t site = which == 0 ? from : to;
    if (how.reads) c.read(thread, address, 4, values[which]).site = site;
    c.write(thread, address, 4, values[which] += thread).site = site;
  };
  const auto move = [&](std::uint32_t thread) {
    c.add(thread, EventKind::Enter).site = function;
    c.lock(thread, kLock);
    change(thread, 0);
    if (how.both) change(thread, 1);
    const std::uint64_t second = how.other_lock ? kOther : kLock;
    if (!how.one_section) {
      c.unlock(thread, kLock);
      if (!how.one_call) c.add(thread, EventKind::Exit);
      if (!how.one_call) c.add(thread, EventKind::Enter).site = function;
      if (how.between) {
        c.lock(thread, kLock);
        c.write(thread, 0x300, 4, 1).site = look;
        c.unlock(thread, kLock);
      }
      c.lock(thread, second);
    }
    change(thread, 1);
    c.unlock(thread, how.one_section ? kLock : second);
    c.add(thread, EventKind::Exit);
  };
  const auto total = [&](std::uint32_t thread) {
    c.lock(thread, kLock);
    if (how.between) {
      c.read(thread, 0x300, 4, 1).site = look;
      c.unlock(thread, kLock);
      c.lock(thread, kLock);
    }
    c.read(thread, kFrom, 4, values[0]).site = look;
    if (how.other_splits) c.unlock(thread, kLock);
    if (how.other_splits) c.lock(thread, kLock);
    c.read(thread, kTo, 4, values[1]).site = look;
    if (how.other_waits) {
      c.add(thread, EventKind::Wait, kCondition, kLock);
      c.add(0, EventKind::Signal, kCondition);
      c.add(thread, EventKind::Wake, kCondition, kLock);
    }
    c.unlock(thread, kLock);
  };
  c.fork(0, 1);
  if (!how.ordered) c.fork(0, 2);
  move(1);
  c.join(0, 1);
  if (how.ordered) c.fork(0, 2);
  if (how.other_writes) move(2);
  else total(2);
  EXPECT_TRUE(trace::verify(c.trace).legal());
  const causality::Computation computation = causality::compute(c.trace);
  const auto feasibility = make_feasibility(computation, witness::Model::Maximal, Limits());
  return suggest_blocks(c.trace, computation, *feasibility, Limits(), {});
}

TEST(SplitInvariants, WhatAnotherThreadSeesAsOneIsSuggested) {
  const auto found = splits_of({});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, witness::FindingKind::Atomicity);
  ASSERT_EQ(found[0].places.size(), 3u);
  EXPECT_NE(found[0].reason.find("is move meant to be atomic?"), std::string::npos);
  EXPECT_EQ(splits_of({.reads = true}).size(), 1u);
}

TEST(SplitInvariants, HalvesThatMayComeFromTwoThreadsAreSuggested) {
  EXPECT_EQ(splits_of({.other_writes = true}).size(), 1u);
  // Two counters: each of them is right whatever comes between.
  EXPECT_TRUE(splits_of({.reads = true, .other_writes = true}).empty());
}

TEST(SplitInvariants, WhatStaysTogetherOrBelongsToNobodyIsNot) {
  EXPECT_TRUE(splits_of({.one_section = true}).empty());
  EXPECT_TRUE(splits_of({.both = true}).empty());
  EXPECT_TRUE(splits_of({.other_lock = true}).empty());
  EXPECT_TRUE(splits_of({.between = true}).empty());
  EXPECT_TRUE(splits_of({.one_call = false}).empty());
  EXPECT_TRUE(splits_of({.other_splits = true}).empty());
  EXPECT_TRUE(splits_of({.other_waits = true}).empty());
  EXPECT_TRUE(splits_of({.ordered = true}).empty());
  EXPECT_TRUE(splits_of({.other_writes = true, .ordered = true}).empty());
}

} // namespace
} // namespace sooth::predict
