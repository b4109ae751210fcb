// Static facts in a trace file: what is written is read again, modules add up, and what is damaged is not believed.
#include <gtest/gtest.h>

#include <cstring>

#include "trace/fact_numbers.h"
#include "trace/program/static_facts.h"
#include "trace/program/static_stores.h"
#include "trace/reader.h"
#include "trace/writer.h"

namespace sooth::trace {
namespace {

using Facts = StaticFactsBuilder;

// int f(int p) { if (x == p) y = g(x); return y; } with sites 1: the function, 2: read x, 3: branch, 4: call, 5: write y, 6: read y.
StaticFacts small_facts() {
  Facts facts;
  const std::uint32_t f = facts.add_function(1, 1, {Facts::load(6)});
  facts.add_site(2, f, SiteRole::Load);
  facts.add_site(3, f, SiteRole::Branch).condition = facts.sources({Facts::parameter(0), Facts::load(2)});
  SiteFacts& call = facts.add_site(4, f, SiteRole::Call);
  call.effect = CallEffect::Other;
  call.flags = kMayNotReturn;
  call.callee = 0xfedcba98;
  call.arguments = {facts.sources({Facts::load(2)}), facts.sources({Facts::unknown()})};
  facts.set_control(4, {3});
  facts.add_site(5, f, SiteRole::Store).value = facts.sources({Facts::result_of(4), Facts::every_load(2)});
  facts.set_control(5, {3});
  SiteFacts& last = facts.add_site(6, f, SiteRole::Load);
  last.other_writes = facts.members({3, 4});
  last.control[static_cast<std::size_t>(ControlStrength::Weak)] = facts.members({4});
  return facts.take();
}

Trace with_facts() {
  Trace trace;
  trace.threads.resize(1);
  trace.sites.assign(7, Site{});
  trace.types.assign(1, Type{});
  trace.flags = kForFacts;
  trace.static_facts = small_facts();
  return trace;
}

TEST(StaticFacts, WrittenAndReadAgain) {
  const Trace trace = with_facts();
  const auto read = read_trace_bytes(write_trace_bytes(trace));
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(read.value().static_facts, trace.static_facts);
  EXPECT_TRUE(read.value().is_fit_for_dependence());
}

TEST(StaticFacts, ModulesWithoutThemAreNotForgotten) {
  Trace trace = with_facts();
  trace.static_facts.modules_without = 2;
  const auto read = read_trace_bytes(write_trace_bytes(trace));
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(read.value().static_facts.modules_without, 2u);
  EXPECT_FALSE(read.value().is_fit_for_dependence());
}

ValueFlows small_flows() {
  ValueFlows flows;
  flows.modules = flows.modules_main = 1;
  flows.defined = {1, ~std::uint64_t{0}};
  flows.called = {~std::uint64_t{0}};
  flows.local_functions = 2;
  flows.modules_redirects = 1;
  flows.reads = {{2, 4, false, true, {{2, true}, {5, false}}},
                 {3, 8, true, false, {}, {{4}, {{true, 1, 3}, {false, 77, 0}}, false, true}}};
  flows.passed = {{{true, 1, 3}, {{6}, {}, false, false}}, {{false, 77, 0}, {{}, {}, true, false}}};
  return flows;
}

TEST(ValueFlows, WrittenAndReadAgain) {
  Trace trace = with_facts();
  trace.flags = 0;
  trace.static_facts = {};
  trace.static_facts.flows = small_flows();
  const auto read = read_trace_bytes(write_trace_bytes(trace));
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(read.value().static_facts.flows, trace.static_facts.flows);
  EXPECT_TRUE(read.value().is_fit_for_flows());
  EXPECT_TRUE(read.value().static_facts.flows.sees_all_code());
}

TEST(ValueFlows, ASecondModulesNumbersFollowTheFirstOnes) {
  const std::vector<std::uint8_t> section = flows_payload(small_flows());
  ValueFlows all;
  ASSERT_TRUE(add_flows(section, 1, 6, all));
  ASSERT_TRUE(add_flows(section, 7, 6, all));
  EXPECT_EQ(all.modules, 2u);
  ASSERT_EQ(all.reads.size(), 4u);
  EXPECT_EQ(all.of(8)->stores[1], (FlowStore{11, false}));
  EXPECT_EQ(all.of(4), nullptr);
}

// A value goes into f's parameter, which f returns; main stores the result of f.
ValueFlows through_a_function() {
  ValueFlows flows;
  const FlowSlot parameter{false, 77, 1}, result{false, 77, 0};
  flows.reads = {{1, 4, false, false, {}, {{}, {parameter}, false, false}}};
  flows.passed = {{parameter, {{}, {result}, false, false}}, {result, {{5}, {}, false, false}}};
  return flows;
}

TEST(ValueFlows, GoThroughFunctions) {
  const std::vector<ReachedStores> reached = reached_stores(through_a_function());
  ASSERT_EQ(reached.size(), 1u);
  EXPECT_FALSE(reached[0].decides);
  EXPECT_EQ(reached[0].sites, std::vector<std::uint32_t>{5});
}

TEST(ValueFlows, StoresToStaticVariablesOfAllModules) {
  ValueFlows flows = through_a_function();
  EXPECT_FALSE(StaticStores(flows).contain_all({5}));
  flows.passed.push_back({kStaticMemory, {{7, 9}, {}, false, false}});
  flows.passed.push_back({kStaticMemory, {{5}, {}, false, false}});
  EXPECT_TRUE(StaticStores(flows).contain_all({5, 9}));
  EXPECT_FALSE(StaticStores(flows).contain_all({5, 6, 9}));
  EXPECT_EQ(reached_stores(flows)[0].sites, std::vector<std::uint32_t>{5}); // nobody passes anything there
}

// f stores through its first parameter, and g passes its own second one on to f.
TEST(ValueFlows, StoresThroughPointersGoWhereAllCallsSay) {
  ValueFlows flows = through_a_function();
  const FlowSlot of_f{false, 70, 1 | kPointedTo}, of_g{true, 3, 2 | kPointedTo};
  flows.passed.push_back({kStaticMemory, {{5, 6}, {}, false, false}});
  flows.passed.push_back({of_f, {{5}, {}, false, false}});
  flows.passed.push_back({of_g, {{}, {of_f}, false, false}});
  EXPECT_TRUE(StaticStores(flows).contain_all({5, 6}));
  flows.passed.push_back({of_g, {{}, {}, true, false}}); // another module passes any memory to g
  EXPECT_FALSE(StaticStores(flows).contain_all({5}));
  EXPECT_TRUE(StaticStores(flows).contain_all({6}));
  flows.passed.push_back({kStaticMemory, {{}, {}, true, false}}); // one finds functions by name
  EXPECT_FALSE(StaticStores(flows).contain_all({6}));
}

TEST(ValueFlows, AnotherCallerMayDecide) {
  ValueFlows flows = through_a_function();
  flows.passed.push_back({{false, 77, 0}, {{}, {}, true, false}});
  EXPECT_TRUE(reached_stores(flows)[0].decides);
}

TEST(ValueFlows, AParameterThatNobodyKnowsDecides) {
  ValueFlows flows = through_a_function();
  flows.passed.erase(flows.passed.begin());
  EXPECT_TRUE(reached_stores(flows)[0].decides);
}

TEST(ValueFlows, AResultThatNobodyUsesGoesNowhere) {
  ValueFlows flows = through_a_function();
  flows.passed.pop_back();
  EXPECT_FALSE(reached_stores(flows)[0].decides);
  EXPECT_TRUE(reached_stores(flows)[0].sites.empty());
}

TEST(ValueFlows, RecursionEnds) {
  ValueFlows flows = through_a_function();
  flows.passed.push_back({{false, 77, 0}, {{}, {{false, 77, 1}}, false, false}});
  EXPECT_FALSE(reached_stores(flows)[0].decides);
}

TEST(ValueFlows, PrintedValuesDecideWhereStreamsAreRedirected) {
  ValueFlows flows = through_a_function();
  flows.reads[0].sinks.printed = true;
  EXPECT_FALSE(reached_stores(flows)[0].decides);
  flows.modules_redirects = 1;
  EXPECT_TRUE(reached_stores(flows)[0].decides);
}

TEST(ValueFlows, LocalFunctionsOfTwoModulesAreTwo) {
  const std::vector<std::uint8_t> section = flows_payload(small_flows());
  ValueFlows all;
  ASSERT_TRUE(add_flows(section, 1, 6, all));
  ASSERT_TRUE(add_flows(section, 7, 6, all));
  EXPECT_EQ(all.local_functions, 4u);
  EXPECT_EQ(all.of(9)->sinks.slots[0], (FlowSlot{true, 3, 3}));
  EXPECT_EQ(all.of(9)->sinks.slots[1], (FlowSlot{false, 77, 0}));
}

TEST(ValueFlows, CodeThatIsNotInTheProgramIsUnseen) {
  ValueFlows flows = small_flows();
  flows.called.push_back(3);
  EXPECT_FALSE(flows.sees_all_code());
  flows.defined.push_back(3);
  EXPECT_TRUE(flows.sees_all_code());
  flows.modules_without = 1;
  EXPECT_FALSE(flows.sees_all_code());
}

TEST(ValueFlows, DamagedOnesAreNotBelieved) {
  const std::vector<std::uint8_t> section = flows_payload(small_flows());
  for (std::size_t bytes = 0; bytes + 4 < section.size(); ++bytes) {
    ValueFlows all;
    EXPECT_FALSE(add_flows(std::span(section).first(bytes), 1, 6, all)) << bytes;
    EXPECT_EQ(all, ValueFlows{});
  }
  ValueFlows all;
  EXPECT_FALSE(add_flows(section, 1, 2, all)); // names rows that the module has not
}

TEST(StaticFacts, EqualSetsAreOne) {
  Facts facts;
  EXPECT_EQ(facts.sources({}), 0u);
  const SourceSet both = facts.sources({Facts::load(2), Facts::parameter(0)});
  EXPECT_EQ(facts.sources({Facts::parameter(0), Facts::load(2), Facts::load(2)}), both);
  EXPECT_NE(facts.sources({Facts::every_load(2), Facts::parameter(0)}), both);
  EXPECT_EQ(facts.members({3, 1, 3}), facts.members({1, 3}));
}

TEST(StaticFacts, ASecondModulesNumbersFollowTheFirstOnes) {
  const std::vector<std::uint8_t> section = make_dependence(small_facts());
  StaticFacts all;
  EXPECT_TRUE(take_dependence(section, 1, 6, all).empty());
  EXPECT_TRUE(take_dependence(section, 7, 6, all).empty());
  EXPECT_EQ(all.modules, 2u);
  ASSERT_EQ(all.functions.size(), 2u);
  EXPECT_EQ(all.functions[1].site, 7u);
  EXPECT_EQ(all.sources(all.functions[1].result).front(), Facts::load(12));
  EXPECT_EQ(all.of(9).function, 1u);
  const auto condition = all.sources(all.of(9).condition);
  EXPECT_EQ(std::vector<Source>(condition.begin(), condition.end()),
            (std::vector<Source>{Facts::load(8), Facts::parameter(0)}));
  EXPECT_EQ(all.members(all.of(10).control[0]).front(), 9u);
}

TEST(StaticFacts, OtherSectionsStay) {
  std::vector<std::uint8_t> sections = {1, 2, 3, 4, 1, 0, 0, 0, 9};
  const std::vector<std::uint8_t> other = sections;
  const std::vector<std::uint8_t> own = make_dependence(small_facts());
  sections.insert(sections.end(), own.begin(), own.end());
  StaticFacts facts;
  EXPECT_EQ(take_dependence(sections, 1, 6, facts), other);
  EXPECT_EQ(facts.modules, 1u);
}

TEST(StaticFacts, AModuleWithSitesAndWithoutFactsCounts) {
  StaticFacts facts;
  take_dependence({}, 1, 6, facts);
  EXPECT_EQ(facts.modules_without, 1u);
  take_dependence({}, 7, 0, facts);
  EXPECT_EQ(facts.modules_without, 1u);
}

// Whatever byte is wrong: no crash, and either all numbers lie where they should, or nothing is known.
TEST(StaticFacts, DamagedOnesAreBelievedOnlyIfTheirNumbersFit) {
  const std::vector<std::uint8_t> section = make_dependence(small_facts());
  for (std::size_t at = 8; at < section.size(); ++at) {
    for (const std::uint8_t wrong : {0, 1, 7, 0x7f, 0x80, 0xff}) {
      std::vector<std::uint8_t> damaged = section;
      damaged[at] = wrong;
      StaticFacts facts;
      take_dependence(damaged, 1, 6, facts);
      for (const SiteFacts& site : facts.sites) {
        if (site.role == SiteRole::None) continue;
        ASSERT_LT(site.function, facts.functions.size());
        for (const SourceSet set : {site.value, site.address, site.condition, site.target})
          for (const Source& source : facts.sources(set)) {
            const bool names_site = source.kind != SourceKind::Unknown && source.kind != SourceKind::Parameter;
            ASSERT_TRUE(!names_site || (source.index >= 1 && source.index <= 6));
          }
        for (const SiteSet set : site.control)
          for (const std::uint32_t parent : facts.members(set)) ASSERT_TRUE(parent >= 1 && parent <= 6);
      }
    }
  }
}

} // namespace
} // namespace sooth::trace
