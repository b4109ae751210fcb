// Inlined calls in trace files: written and read again, of several modules, damaged.
#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "trace/program/type_facts.h"
#include "trace/reader.h"
#include "trace/writer.h"

namespace sooth::trace {
namespace {

// `inner` in `middle` in `outer`, and once directly in `outer`.
Trace with_calls() {
  Trace trace;
  trace.sites.resize(4);
  trace.sites[1] = {"a.cpp", 1, 2, "inner", "x", 0, 2};
  trace.sites[2] = {"a.cpp", 1, 2, "inner", "x", 0, 3};
  trace.sites[3] = {"a.cpp", 9, 2, "outer", "y", 0, 0};
  trace.inlined_calls = {
      {}, {"a.cpp", 30, 1, "outer", 0, 0}, {"a.cpp", 20, 1, "middle", kSiteSystem, 1}, {"a.cpp", 31, 1, "outer", 0, 0}};
  trace.threads.resize(1);
  return trace;
}

std::string text_at(const StringTable& strings, std::uint32_t offset) {
  return offset < strings.bytes().size() ? reinterpret_cast<const char*>(strings.bytes().data()) + offset : "";
}

TEST(InlinedCalls, WrittenAndReadAgain) {
  const Trace trace = with_calls();
  const auto read = read_trace_bytes(write_trace_bytes(trace));
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(read.value().inlined_calls, trace.inlined_calls);
  ASSERT_EQ(read.value().sites.size(), trace.sites.size());
  for (std::size_t i = 0; i < trace.sites.size(); ++i)
    EXPECT_EQ(read.value().sites[i].inlined_at, trace.sites[i].inlined_at) << i;
  EXPECT_TRUE(read.value().facts.empty());
}

TEST(InlinedCalls, OfSeveralModulesAreNumberedOn) {
  const Trace source = with_calls();
  StringTable strings;
  const std::vector<std::uint8_t> facts = make_type_facts(source, strings);
  Trace trace;
  for (std::uint32_t module = 0; module < 2; ++module) {
    std::vector<Site> sites(3);
    EXPECT_TRUE(take_type_facts(facts, sites, {}, [&](auto at) { return text_at(strings, at); }, trace).empty());
    ASSERT_EQ(trace.inlined_calls.size(), 3 * module + 4);
    EXPECT_EQ(sites[0].inlined_at, 3 * module + 2);
    EXPECT_EQ(sites[1].inlined_at, 3 * module + 3);
    EXPECT_EQ(sites[2].inlined_at, 0u);
    const InlinedCall& middle = trace.inlined_calls[sites[0].inlined_at];
    EXPECT_EQ(middle.function, "middle");
    EXPECT_EQ(trace.inlined_calls[middle.inlined_at].line, 30u);
  }
}

// Every word damaged in turn: chains stay inside the table and come to an end, or nothing is believed.
TEST(InlinedCalls, DamagedTablesAreNotBelieved) {
  const Trace source = with_calls();
  StringTable strings;
  const std::vector<std::uint8_t> facts = make_type_facts(source, strings);
  int left_alone = 0;
  for (std::size_t at = 0; at + 4 <= facts.size(); at += 4) {
    for (const std::uint32_t word : {0u, 1u, 3u, 4u, 1000u, 0xffffffffu}) {
      std::vector<std::uint8_t> damaged = facts;
      std::memcpy(damaged.data() + at, &word, 4);
      std::vector<Site> sites(3);
      Trace trace;
      if (!take_type_facts(damaged, sites, {}, [&](auto offset) { return text_at(strings, offset); }, trace).empty())
        ++left_alone;
      for (const Site& site : sites) ASSERT_LT(site.inlined_at, std::max<std::size_t>(1, trace.inlined_calls.size()));
      for (std::size_t i = 1; i < trace.inlined_calls.size(); ++i) ASSERT_LT(trace.inlined_calls[i].inlined_at, i);
    }
    std::vector<Site> sites(3);
    Trace trace;
    take_type_facts(std::span(facts).first(at), sites, {}, [](auto) { return std::string(); }, trace);
  }
  EXPECT_GT(left_alone, 10);
}

} // namespace
} // namespace sooth::trace
