// Dependence from classes of sites: which reads are free, and what a trace must show for it.
#include "causality/dependence/flow_dependence.h"

#include <gtest/gtest.h>

#include "causality/computation/computation.h"
#include "trace/program/static_stores.h"
#include "unit/verify_builder.h"

namespace sooth::causality {
namespace {

using trace::EventKind;
using trace::testing::TraceBuilder;

constexpr std::uint64_t kX = 0x1000, kY = 0x1010, kLock = 0x2000;
constexpr std::uint32_t kRead = 1, kStore = 2, kOther = 3;

// Thread 1 writes x and y, then thread 0 reads x. The class of the read: it flows into the store.
class FlowDependence : public ::testing::Test {
protected:
  FlowDependence() : b_(2) {
    b_.trace.sites.resize(10);
    flows().modules = flows().modules_main = 1;
    flows().reads = {{kRead, 4, false, false, {{kStore, true}}}};
    b_.write(1, kX, 4, 1).site = 9;
    b_.write(1, kY, 4, 1).site = 9;
  }
  trace::ValueFlows& flows() { return b_.trace.static_facts.flows; }
  trace::Event& read(std::uint64_t address = kX, std::uint32_t site = kRead) {
    trace::Event& e = b_.read(0, address, 4, 1);
    e.site = site;
    return e;
  }
  trace::Event& write(std::uint64_t address = kX, std::uint32_t site = kStore) {
    trace::Event& e = b_.write(0, address, 4, 2);
    e.site = site;
    return e;
  }
  // Whether the third event, a read, may return anything, and the last one, a write, follows it.
  bool is_free() {
    const Computation computation = compute(b_.trace);
    const StepDependence& dependence = computation.dependence;
    if (!dependence.known) return false;
    const StepDependence::Row& row = dependence.steps[computation.step_of_event[2]];
    if (!dependence.of(row.decides).empty()) return false;
    const auto last = static_cast<std::uint32_t>(b_.trace.events.size() - 1);
    const auto sources = dependence.of(dependence.steps[computation.step_of_event[last]].writes);
    EXPECT_EQ(std::vector(sources.begin(), sources.end()), std::vector{row.own});
    return true;
  }

  TraceBuilder b_;
};

TEST_F(FlowDependence, AReadWithItsStoreIsFree) {
  read();
  write();
  EXPECT_TRUE(is_free());
}

TEST_F(FlowDependence, OtherReadsMayComeBetween) {
  read();
  read(kY, kOther);
  write();
  EXPECT_TRUE(is_free());
}

TEST_F(FlowDependence, WithoutTheStoreItDecides) {
  read();
  EXPECT_FALSE(is_free());
}

TEST_F(FlowDependence, WithTheStoreToOtherBytesItDecides) {
  read();
  write(kY);
  EXPECT_FALSE(is_free());
}

TEST_F(FlowDependence, AStoreToAFixedPlaceMayBeElsewhere) {
  flows().reads.front().stores.front().same_bytes = false;
  read();
  write(kY);
  EXPECT_TRUE(is_free());
}

TEST_F(FlowDependence, BehindSynchronisationItIsNotItsStore) {
  read();
  b_.add(0, EventKind::Acquire, kLock);
  write();
  EXPECT_FALSE(is_free());
}

TEST_F(FlowDependence, InAnotherActivationItIsNotItsStore) {
  read();
  b_.add(0, EventKind::Enter);
  write();
  EXPECT_FALSE(is_free());
}

TEST_F(FlowDependence, AReadThatStandsForOthersDecides) {
  read().flags |= trace::kHeld;
  write();
  EXPECT_FALSE(is_free());
}

TEST_F(FlowDependence, AStoreThatStandsForOthersIsNoProof) {
  for (const std::uint8_t flag : {trace::kHeld, trace::kMerged}) {
    read();
    write().flags |= flag;
    EXPECT_FALSE(is_free());
    b_.trace.events.resize(2);
  }
}

TEST_F(FlowDependence, ItsSiteAgainWithoutTheStoreDecides) {
  read();
  read(kY);
  write();
  EXPECT_FALSE(is_free());
}

TEST_F(FlowDependence, AnotherSizeIsAnotherAccess) {
  read().size = 2;
  write();
  EXPECT_FALSE(is_free());
}

// Code without hooks might read what the store writes.
TEST_F(FlowDependence, UnseenCodeMakesReadsDecideUnlessItCannotReachTheStores) {
  flows().called = {77};
  read();
  write();
  EXPECT_FALSE(is_free());
  flows().reads.front().out_of_reach = true;
  EXPECT_TRUE(is_free());
  flows().reads.front().out_of_reach = false;
  flows().defined = {77};
  EXPECT_TRUE(is_free());
}

TEST_F(FlowDependence, AnUpdateThatNobodyLooksAtIsFree) {
  flows().reads = {{kRead, 4, true, false, {}, {{}, {}, false, false}}};
  b_.rmw(0, kX, 4, 1, 2).site = kRead;
  EXPECT_TRUE(is_free());
}

// What is stored in memory of one thread is followed to where it is read.
TEST_F(FlowDependence, PrivateMemoryIsLookedThrough) {
  flows().reads = {{kRead, 4, false, false, {{kStore, false}}}};
  constexpr std::uint64_t kOwn = 0x3000;
  read();
  write(kOwn);
  b_.read(0, kOwn, 4, 2).site = kOther; // no class: it decides
  const Computation computation = compute(b_.trace);
  const StepDependence& dependence = computation.dependence;
  ASSERT_TRUE(dependence.known);
  const StepId step = computation.step_of_event[2];
  bool decided = false;
  for (const StepDependence::Row& row : dependence.steps)
    for (const DependenceNode node : dependence.of(row.decides)) decided |= node == dependence.steps[step].own;
  EXPECT_TRUE(decided);
}

// Its owner may look at it later, and no event shows that.
TEST_F(FlowDependence, WhereBlocksAreOwnedStoresOfVariablesCount) {
  b_.trace.defects[static_cast<unsigned>(trace::Defect::OwnedBlocks)] = 1;
  read();
  write();
  EXPECT_FALSE(is_free());
  b_.trace.globals.emplace_back();
  b_.trace.globals.back().address = kX;
  b_.trace.globals.back().bytes = 2; // not all of what is stored
  EXPECT_FALSE(is_free());
  b_.trace.globals.back().bytes = 4;
  EXPECT_TRUE(is_free());
}

TEST_F(FlowDependence, NobodyOwnsABlockThatTwoThreadsHaveAtOneTime) {
  b_.trace.defects[static_cast<unsigned>(trace::Defect::OwnedBlocks)] = 1;
  b_.trace.events.clear();
  b_.write(0, 0x9000, 4, 1).site = 9;
  b_.write(1, kX, 4, 1).site = 9;
  read();
  write();
  EXPECT_TRUE(is_free());
  b_.trace.events[1].address = 0x9004; // the other thread has not used this block
  b_.trace.events[2].value = 0;
  EXPECT_FALSE(is_free());
}

TEST_F(FlowDependence, ABlockThatWasHandedOverMayHaveBeenLookedAt) {
  b_.trace.defects[static_cast<unsigned>(trace::Defect::OwnedBlocks)] = 1;
  b_.trace.events.clear();
  b_.write(0, 0x9000, 4, 1).site = 9;
  b_.write(1, kX, 4, 1).site = 9;
  read();
  write();
  trace::Event block = b_.trace.events.back();
  block.address = kX / trace::kOwnedBytes * trace::kOwnedBytes;
  block.size = trace::kOwnedBytes;
  block.site = 0;
  block.flags = trace::kMerged | trace::kOpaque;
  b_.trace.events.push_back(block);
  EXPECT_FALSE(is_free());
}

// The value goes further than its block: it may reach the store at any later time.
class LaterFlows : public FlowDependence {
protected:
  LaterFlows() { flows().reads = {{kRead, 4, false, false, {}, {{kStore}, {}, false, false}}}; }
};

TEST_F(LaterFlows, IntoAStoreBehindSynchronisation) {
  read();
  b_.add(0, EventKind::Acquire, kLock);
  b_.add(0, EventKind::Enter);
  write(kY);
  EXPECT_TRUE(is_free());
}

TEST_F(LaterFlows, EveryLaterStoreOfTheSiteDependsOnIt) {
  read();
  write(kY);
  write(kX);
  EXPECT_TRUE(is_free()); // looks at the last one
}

TEST_F(LaterFlows, AtomicLoadsAndStores) {
  trace::Event& e = read();
  e.kind = EventKind::AtomicRead;
  e.order = trace::MemoryOrder::Relaxed;
  b_.rmw(0, kY, 4, 1, 2).site = kStore;
  EXPECT_TRUE(is_free());
}

TEST_F(LaterFlows, AnAtomicLoadThatStandsForOtherSitesDecides) {
  trace::Event& e = read();
  e.kind = EventKind::AtomicRead;
  e.marks |= trace::kOtherSites;
  write();
  EXPECT_FALSE(is_free());
}

TEST_F(LaterFlows, WhatOtherSitesDidWithTheValueIsNotKnown) {
  read().marks |= trace::kOtherSites;
  write();
  EXPECT_FALSE(is_free());
}

TEST_F(LaterFlows, AStoreThatTheReaderLeftOutIsMissing) {
  read();
  write();
  b_.trace.sieved_stores.resize(10);
  b_.trace.sieved_stores[kStore] = true;
  EXPECT_FALSE(is_free());
}

TEST_F(LaterFlows, OwnedBlocksHideStores) {
  read();
  write();
  b_.trace.defects[static_cast<unsigned>(trace::Defect::OwnedBlocks)] = 1;
  EXPECT_FALSE(is_free());
  flows().passed.push_back({trace::kStaticMemory, {{kOther}, {}, false, false}});
  EXPECT_FALSE(is_free());
  flows().passed.push_back({trace::kStaticMemory, {{kStore}, {}, false, false}}); // of another module
  EXPECT_TRUE(is_free());
}

TEST_F(LaterFlows, CodeWithoutHooksTurnsThemOff) {
  flows().called = {7};
  read();
  write();
  EXPECT_FALSE(is_free());
}

TEST_F(LaterFlows, InASegmentThatIsNotInDetailItDecides) {
  for (const std::uint8_t mark : {0, 1}) {
    trace::Event& e = b_.write(0, kY, 4, 3);
    e.site = kOther;
    if (mark != 0) e.marks |= trace::kBehindOmitted;
    else e.flags |= trace::kHeld;
    read();
    write();
    const Computation computation = compute(b_.trace);
    EXPECT_FALSE(computation.dependence.known);
    b_.trace.events.resize(2);
  }
}

// The store may be among the accesses that the held one stands for: what was read is as it was.
TEST_F(LaterFlows, AHeldAccessDependsOnAllThatMayStillFlow) {
  read();
  trace::Event& e = b_.write(0, kY, 4, 3);
  e.site = kOther;
  e.flags |= trace::kHeld;
  const Computation computation = compute(b_.trace);
  const StepDependence& dependence = computation.dependence;
  ASSERT_TRUE(dependence.known);
  const DependenceNode seen = dependence.steps[computation.step_of_event[2]].own;
  const auto decides = dependence.of(dependence.steps[computation.step_of_event[3]].decides);
  EXPECT_EQ(std::vector(decides.begin(), decides.end()), std::vector{seen});
}

} // namespace
} // namespace sooth::causality
