// Dynamic dependence: what events depend on, through calls, results, private memory, copies and loops.
#include "causality/dependence/dependence.h"

#include <set>

#include <gtest/gtest.h>

#include "causality/computation/computation.h"
#include "trace/verify.h"
#include "unit/verify_builder.h"

namespace sooth::causality {
namespace {

using trace::EventKind;
using trace::SiteRole;
using trace::Source;
using trace::StaticFactsBuilder;
using trace::testing::TraceBuilder;
using Reads = std::set<std::uint32_t>; // events

// Thread 0 is looked at. Thread 1 writes all shared variables first, so that reads of them are leaves.
constexpr std::uint64_t kX = 0x1000, kY = 0x1010, kPrivate = 0x2000;
constexpr std::uint32_t kFunction = 50, kCaller = 52; // their sites
constexpr std::uint32_t kFunctionName = 7, kOtherName = 8;

class Dependence : public ::testing::Test {
protected:
  Dependence() : b_(2) {
    b_.trace.sites.resize(100);
    facts_.add_function(kCaller, 0);
    b_.add(0, EventKind::Enter).site = kCaller;
    b_.write(1, kX, 8, 1).site = 90;
    b_.write(1, kY, 8, 1).site = 91;
    for (const std::uint32_t site : {90u, 91u}) facts_.add_site(site, 0, SiteRole::Store);
  }

  std::uint32_t number() const { return static_cast<std::uint32_t>(b_.trace.events.size() - 1); }
  std::uint32_t read(std::uint64_t address, std::uint32_t site, std::uint32_t function = 0) {
    b_.read(0, address, 8, 1).site = site;
    facts_.add_site(site, function, SiteRole::Load);
    return number();
  }
  std::uint32_t write(std::uint64_t address, std::uint32_t site, std::vector<Source> value,
                      std::uint32_t function = 0) {
    b_.write(0, address, 8, 1).site = site;
    facts_.add_site(site, function, SiteRole::Store).value = facts_.sources(std::move(value));
    return number();
  }
  std::uint32_t branch(std::uint32_t site, std::vector<Source> condition, std::uint32_t function = 0) {
    b_.add(0, EventKind::Branch).site = site;
    facts_.add_site(site, function, SiteRole::Branch).condition = facts_.sources(std::move(condition));
    return number();
  }
  std::uint32_t enter(std::uint32_t function_site, std::uint32_t call_site) {
    b_.add(0, EventKind::Enter, 0, call_site).site = function_site;
    return number();
  }
  std::uint32_t leave() {
    b_.add(0, EventKind::Exit, 0, 1);
    return number();
  }
  void call(std::uint32_t site, std::uint32_t callee, std::vector<Source> argument) {
    const trace::SourceSet set = facts_.sources(std::move(argument));
    trace::SiteFacts& facts = facts_.add_site(site, 0, SiteRole::Call);
    facts.callee = callee;
    facts.arguments = {set};
  }

  void compute_all() {
    b_.trace.static_facts = facts_.take();
    for (std::uint32_t f = 1; f < b_.trace.static_facts.functions.size(); ++f)
      b_.trace.static_facts.functions[f].name = f == 1 ? kFunctionName : kOtherName;
    b_.trace.flags |= trace::kForFacts;
    ASSERT_TRUE(trace::verify(b_.trace).legal());
    computation_ = compute(b_.trace);
    ASSERT_TRUE(computation_.dependence.known);
  }

  Reads leaves(const StepDependence::Slice& slice) const {
    const StepDependence& d = computation_.dependence;
    Reads out;
    std::vector<DependenceNode> waiting(d.of(slice).begin(), d.of(slice).end());
    while (!waiting.empty()) {
      const DependenceNode node = waiting.back();
      waiting.pop_back();
      if (d.nodes[node].reads) out.insert(computation_.steps[d.step_of_node[node]].event);
      waiting.insert(waiting.end(), d.of(d.nodes[node].children).begin(), d.of(d.nodes[node].children).end());
    }
    return out;
  }
  Reads written(std::uint32_t event) const { return leaves(computation_.dependence.value_of_event[event]); }
  // What decides in the step of the event.
  Reads decided(std::uint32_t event) const {
    return leaves(computation_.dependence.steps[computation_.step_of_event[event]].decides);
  }

  TraceBuilder b_;
  StaticFactsBuilder facts_;
  Computation computation_;
};

TEST_F(Dependence, GoesThroughParametersIntoWrites) {
  facts_.add_function(kFunction, 1);
  const auto x = read(kX, 1);
  call(2, kFunctionName, {StaticFactsBuilder::load(1)});
  enter(kFunction, 2);
  const auto y = write(kY, 3, {StaticFactsBuilder::parameter(0)}, 1);
  leave();
  compute_all();
  EXPECT_EQ(written(y), Reads{x});
  EXPECT_EQ(decided(x), Reads{});
}

TEST_F(Dependence, GoesThroughResults) {
  facts_.add_function(kFunction, 0, {StaticFactsBuilder::load(1)});
  call(2, kFunctionName, {});
  enter(kFunction, 2);
  const auto x = read(kX, 1, 1);
  leave();
  const auto y = write(kY, 3, {StaticFactsBuilder::result_of(2)});
  const auto z = write(kY, 4, {});
  compute_all();
  EXPECT_EQ(written(y), Reads{x});
  EXPECT_EQ(written(z), Reads{});
}

// The call names another function: code without hooks called this one back, and gets its result.
TEST_F(Dependence, WhatACallBackReturnsDecides) {
  facts_.add_function(kFunction, 0, {StaticFactsBuilder::load(1)});
  call(2, kOtherName, {});
  enter(kFunction, 2);
  const auto x = read(kX, 1, 1);
  leave();
  compute_all();
  EXPECT_EQ(decided(x), Reads{x});
}

TEST_F(Dependence, LooksThroughPrivateMemory) {
  const auto x = read(kX, 1);
  write(kPrivate, 2, {StaticFactsBuilder::load(1)});
  read(kPrivate, 3);
  branch(4, {StaticFactsBuilder::load(3)});
  write(kPrivate, 5, {});
  read(kPrivate, 6);
  const auto y = write(kY, 7, {StaticFactsBuilder::load(6)});
  compute_all();
  EXPECT_EQ(decided(x), Reads{x}); // the branch clings to the read
  EXPECT_EQ(written(y), Reads{});  // overwritten meanwhile
}

TEST_F(Dependence, OfALoopIsTheLatestInstanceOrEvery) {
  const auto first = read(kX, 1);
  const auto second = read(kX, 1);
  const auto latest = write(kY, 2, {StaticFactsBuilder::load(1)});
  const auto sum = write(kY, 3, {StaticFactsBuilder::every_load(1)});
  compute_all();
  EXPECT_EQ(written(latest), Reads{second});
  EXPECT_EQ(written(sum), (Reads{first, second}));
}

TEST_F(Dependence, OfACopyIsWhatItRead) {
  b_.read(0, kX, 8, 1).site = 1;
  const auto x = number();
  b_.write(0, kY, 8, 1).site = 1;
  const auto y = number();
  facts_.add_site(1, 0, SiteRole::Copy);
  compute_all();
  EXPECT_EQ(written(y), Reads{x});
  EXPECT_EQ(decided(x), Reads{});
}

// What code that is not seen reads, it may use for anything.
TEST_F(Dependence, WhatALibraryReadsDecides) {
  b_.read(0, kX, 8, 1).site = 1;
  const auto x = number();
  facts_.add_site(1, 0, SiteRole::Call).effect = trace::CallEffect::Known;
  compute_all();
  EXPECT_EQ(decided(x), Reads{x});
}

TEST_F(Dependence, OfCodeWithoutHooksIsEverything) {
  const auto x = read(kX, 1);
  b_.add(0, EventKind::Branch).site = 2;
  facts_.add_site(2, 0, SiteRole::Call).effect = trace::CallEffect::Other;
  compute_all();
  EXPECT_EQ(decided(x), Reads{x});
}

TEST_F(Dependence, IsNotKnownWithoutFacts) {
  read(kX, 1);
  EXPECT_FALSE(compute(b_.trace).dependence.known);
}

} // namespace
} // namespace sooth::causality
