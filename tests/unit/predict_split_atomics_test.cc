// Blocks that nobody marked: a load and a store of one atomic variable.
#include <vector>

#include <gtest/gtest.h>

#include "predict/atomicity/unmarked_blocks.h"
#include "predict_case.h"

namespace sooth::predict {
namespace {

using testing::Case;
using trace::EventKind;

constexpr std::uint64_t kCounter = 0x100, kLock = 0x1000;
constexpr std::uint32_t kFunction = 1, kLoad = 2, kStore = 3, kUpdate = 4;

struct Increment {
  bool flows = true;      // the value of the load goes into the store, and nowhere else
  bool again = false;     // an update of the variable comes between
  bool locked = false;    // both are in one critical section
  bool one_call = true;   // else they are in calls that have nothing to do with each other
  bool ordered = false;   // the second thread is created behind
  bool updates = false;   // the second thread has one operation
  bool elsewhere = false; // the second thread has another variable
  bool decides = false;   // the second thread goes on only when it has seen what the first one stored
};

std::vector<Suggestion> increments_of(const Increment& how) {
  Case c(3);
  c.site("a.c", 1, "add", "");
  c.site("a.c", 2, "add", "n");
  c.site("a.c", 3, "add", "n");
  c.site("a.c", 4, "add", "n");
  trace::ValueFlows& flows = c.trace.static_facts.flows;
  flows.modules = flows.modules_main = 1;
  if (how.flows) flows.reads = {{kLoad, 4, false, false, {{kStore, true}}, {{kStore}, {}, false, false}}};
  if (how.updates) flows.reads.push_back({kUpdate, 4, true, false, {}, {{}, {}, false, false}});
  std::uint32_t value = 0;
  const auto add = [&](std::uint32_t thread) {
    const std::uint64_t address = how.elsewhere && thread == 2 ? kCounter + 64 : kCounter;
    if (how.elsewhere && thread == 2) value = 0;
    c.add(thread, EventKind::Enter).site = kFunction;
    if (how.locked) c.lock(thread, kLock);
    if (how.decides && thread == 2) c.access(thread, EventKind::AtomicRead, address, 4, value).site = kUpdate;
    if (how.updates && thread == 2) {
      c.rmw(thread, address, 4, value, value + 1).site = kUpdate;
    } else {
      c.access(thread, EventKind::AtomicRead, address, 4, value).site = kLoad;
      if (how.again) c.rmw(thread, address, 4, value, value + 1).site = kUpdate, ++value;
      if (!how.one_call) c.add(thread, EventKind::Exit);
      if (!how.one_call) c.add(thread, EventKind::Enter).site = kFunction;
      c.access(thread, EventKind::AtomicWrite, address, 4, value + 1).site = kStore;
    }
    ++value;
    if (how.locked) c.unlock(thread, kLock);
    c.add(thread, EventKind::Exit);
  };
  c.fork(0, 1);
  if (!how.ordered) c.fork(0, 2);
  add(1);
  if (how.ordered) c.join(0, 1);
  if (how.ordered) c.fork(0, 2);
  add(2);
  if (!how.ordered) c.join(0, 1);
  c.join(0, 2);
  EXPECT_TRUE(trace::verify(c.trace).legal());
  const causality::Computation computation = causality::compute(c.trace);
  const auto feasibility = make_feasibility(computation, witness::Model::Full, Limits());
  return suggest_blocks(c.trace, computation, *feasibility, Limits(), {});
}

TEST(SplitAtomics, AnIncrementInTwoOperationsIsSuggested) {
  const auto found = increments_of({});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, witness::FindingKind::Atomicity);
  ASSERT_EQ(found[0].places.size(), 3u);
  EXPECT_NE(found[0].reason.find("is add meant to be atomic?"), std::string::npos);
}

TEST(SplitAtomics, SoIsOneBesideAnUpdate) { EXPECT_EQ(increments_of({.updates = true}).size(), 1u); }

TEST(SplitAtomics, WhatCannotLoseAnythingIsNot) {
  EXPECT_TRUE(increments_of({.flows = false}).empty());
  EXPECT_TRUE(increments_of({.again = true}).empty());
  EXPECT_TRUE(increments_of({.locked = true}).empty());
  EXPECT_TRUE(increments_of({.one_call = false}).empty());
  EXPECT_TRUE(increments_of({.ordered = true}).empty());
  EXPECT_TRUE(increments_of({.elsewhere = true}).empty());
}

// As in a ticket lock: who has seen its own number is alone.
TEST(SplitAtomics, AProtocolByValuesIsNot) { EXPECT_TRUE(increments_of({.decides = true}).empty()); }

} // namespace
} // namespace sooth::predict
