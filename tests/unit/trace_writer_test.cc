// Random traces, written and read back: everything is kept, in the same order, legal or not.
#include "trace/writer.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdio>
#include <cstring>
#include <tuple>

#include "trace/contents.h"
#include "trace/reader.h"
#include "unit/raw_file.h"

using namespace sooth::trace;

namespace {

std::string any_text() {
  return *rc::gen::container<std::string>(rc::gen::element('a', 'Z', ':', ' ', '=', '\n', '\\', 'n', '\xc3'));
}

std::vector<std::string> any_texts() {
  std::vector<std::string> texts(*rc::gen::inRange<std::size_t>(0, 4));
  for (std::string& text : texts) text = any_text();
  return texts;
}

std::uint64_t any_word() {
  return *rc::gen::oneOf(rc::gen::arbitrary<std::uint64_t>(), rc::gen::inRange<std::uint64_t>(0, 20));
}

Event any_event(Trace& trace) {
  Event e;
  const auto kinds = all_kinds();
  e.kind = kinds[*rc::gen::inRange<std::size_t>(0, kinds.size())];
  e.address = any_word() >> 1; // room for the size
  e.value = any_word();
  e.thread = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(trace.threads.size()));
  e.site = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(trace.sites.size()));
  e.order = static_cast<MemoryOrder>(*rc::gen::inRange(0, 7));
  e.flags = *rc::gen::arbitrary<std::uint8_t>();
  const auto without = [&](int flags) { e.flags &= static_cast<std::uint8_t>(~flags); };
  if (!reads_memory(e.kind) && !writes_memory(e.kind)) {
    without(kPayload | (e.has(kFill) ? kOpaque : 0));
    if (e.kind == EventKind::Enter) e.value %= trace.sites.size();
    return e;
  }
  if (trace.sites[e.site].flags & kSiteVolatile) e.flags |= kVolatile;
  const bool rmw = e.kind == EventKind::AtomicRmw;
  const auto fill_bytes = [&](std::uint64_t count) {
    e.extra = trace.bytes.size();
    for (std::uint64_t i = 0; i < count; ++i) trace.bytes.push_back(static_cast<std::uint8_t>(any_word()));
    std::memcpy(&e.value, trace.bytes.data() + e.extra + (rmw ? e.size : 0), 8);
  };
  switch (rmw ? *rc::gen::element(0, 3) : *rc::gen::inRange(0, 4)) {
  case 0:
    without(kPayload | kFill | kOpaque);
    e.size = *rc::gen::inRange(1u, 9u);
    e.value &= e.size == 8 ? ~0ull : (1ull << (8 * e.size)) - 1;
    if (rmw) e.extra = any_word() & (e.size == 8 ? ~0ull : (1ull << (8 * e.size)) - 1);
    break;
  case 1:
    without(kPayload | kOpaque);
    e.flags |= kFill;
    e.size = *rc::gen::inRange(1u, UINT32_MAX);
    e.value &= 0xff;
    break;
  case 2:
    without(kPayload | kFill);
    e.flags |= kOpaque;
    e.size = *rc::gen::inRange(1u, UINT32_MAX);
    e.value = 0;
    break;
  default:
    without(kFill | kOpaque);
    e.flags |= kPayload;
    e.size = rmw ? 16 : *rc::gen::inRange(9u, 100u);
    fill_bytes(rmw ? 32 : e.size);
    break;
  }
  return e;
}

Trace any_trace() {
  Trace trace;
  trace.flags = kFrozen;
  if (*rc::gen::arbitrary<bool>()) trace.flags |= kNoValues;
  trace.sites.resize(*rc::gen::inRange<std::size_t>(1, 6));
  for (std::size_t i = 1; i < trace.sites.size(); ++i) {
    trace.sites[i] = {
        any_text(), *rc::gen::arbitrary<std::uint32_t>(), *rc::gen::arbitrary<std::uint32_t>(), any_text(),
        any_text(), *rc::gen::inRange(0u, 512u)};
  }
  const std::size_t globals = *rc::gen::inRange<std::size_t>(0, 4);
  for (std::size_t i = 0; i < globals; ++i)
    trace.globals.push_back({0x1000 + 16 * i, any_word(), any_text(), any_text(), any_text(), 7});
  trace.threads.resize(*rc::gen::inRange<std::size_t>(1, 5));
  for (Thread& thread : trace.threads) {
    thread.name = any_text();
    thread.parent = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(trace.threads.size()));
    thread.ended = *rc::gen::arbitrary<bool>();
  }
  trace.strings = any_texts();
  trace.notes = any_texts();
  const std::size_t facts = *rc::gen::inRange<std::size_t>(0, 3);
  for (std::size_t i = 0; i < facts; ++i)
    trace.facts.push_back(std::vector<std::uint8_t>(i + 1, static_cast<std::uint8_t>(any_word())));
  trace.process = {any_text(), any_texts(), any_text(), any_texts(),      1, 2, EndKind::Signal,
                   -9,         any_word(),  any_word(), {{"sigqueue", 3}}};
  for (std::uint64_t& defect : trace.defects) defect = any_word();
  const std::size_t events = *rc::gen::inRange<std::size_t>(0, 60);
  for (std::size_t i = 0; i < events; ++i) trace.events.push_back(any_event(trace));
  return trace;
}

// Equal but for where in Trace::bytes the contents lie.
void expect_same(const Trace& a, const Trace& b) {
  RC_ASSERT(a.events.size() == b.events.size());
  for (std::size_t i = 0; i < a.events.size(); ++i) {
    Event x = a.events[i];
    Event y = b.events[i];
    if (x.has(kPayload) && (reads_memory(x.kind) || writes_memory(x.kind))) {
      const std::uint64_t count = x.kind == EventKind::AtomicRmw ? 2 * x.size : x.size;
      RC_ASSERT(y.extra + count <= b.bytes.size());
      RC_ASSERT(std::equal(a.bytes.data() + x.extra, a.bytes.data() + x.extra + count, b.bytes.data() + y.extra));
      x.extra = y.extra = 0;
    }
    RC_ASSERT(x == y);
  }
  const auto sites = [](const Trace& t) {
    std::vector<std::tuple<std::string, std::uint32_t, std::uint32_t, std::string, std::string, std::uint32_t>> out;
    for (const Site& s : t.sites) out.emplace_back(s.file, s.line, s.column, s.function, s.variable, s.flags);
    return out;
  };
  const auto globals = [](const Trace& t) {
    std::vector<std::tuple<std::uint64_t, std::uint64_t, std::string, std::string, std::string, std::uint32_t>> out;
    for (const Global& g : t.globals) out.emplace_back(g.address, g.bytes, g.name, g.type, g.file, g.line);
    return out;
  };
  const auto threads = [](const Trace& t) {
    std::vector<std::tuple<std::string, std::uint32_t, bool>> out;
    for (const Thread& thread : t.threads) out.emplace_back(thread.name, thread.parent, thread.ended);
    return out;
  };
  const auto process = [](const Trace& t) {
    const ProcessInfo& p = t.process;
    return std::tuple(p.program, p.arguments, p.directory, p.plain_libraries, p.pid, p.parent_pid, p.end, p.end_value,
                      p.start_time_ns, p.end_time_ns, p.unsupported);
  };
  RC_ASSERT(sites(a) == sites(b));
  RC_ASSERT(globals(a) == globals(b));
  RC_ASSERT(threads(a) == threads(b));
  RC_ASSERT(process(a) == process(b));
  RC_ASSERT(a.strings == b.strings);
  RC_ASSERT(a.facts == b.facts);
  RC_ASSERT(a.notes == b.notes);
  RC_ASSERT(a.flags == b.flags);
  RC_ASSERT(std::equal(std::begin(a.defects), std::end(a.defects), std::begin(b.defects)));
}

Trace one_event(Event e) {
  Trace trace;
  trace.sites.resize(1);
  trace.threads.resize(1);
  trace.events = {e};
  return trace;
}

} // namespace

TEST(Writer, RandomTracesComeBackAsTheyWere) {
  EXPECT_TRUE(rc::check([] {
    const Trace trace = any_trace();
    const std::vector<std::uint8_t> bytes = write_trace_bytes(trace);
    RC_ASSERT(!bytes.empty());
    const auto again = read_trace_bytes(bytes);
    RC_ASSERT(again.ok());
    expect_same(trace, again.value());
    RC_ASSERT(write_trace_bytes(again.value()) == bytes);
  }));
}

TEST(Writer, IllegalOrderIsKeptForTheVerifierToReject) {
  Trace trace = one_event({.address = 0x1000, .value = 1, .size = 4, .kind = EventKind::Write});
  trace.events.push_back({.address = 0x1000, .value = 2, .size = 4, .kind = EventKind::Read});
  const auto again = read_trace_bytes(write_trace_bytes(trace));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(sooth::test::text_of(again.value()), "0 write x=1, 0 read x=2");
  EXPECT_EQ(again.value().defect(Defect::ExternalWrites), 0u);
}

TEST(Writer, ManyEventsTakeManyChunks) {
  Trace trace = one_event({});
  trace.events.clear();
  trace.threads.resize(3);
  for (std::uint64_t i = 0; i < 100000; ++i) {
    trace.events.push_back({.address = 0x1000 + i % 512,
                            .value = i & 0xff,
                            .size = 1,
                            .thread = static_cast<std::uint32_t>(i % 3),
                            .kind = EventKind::Write});
  }
  const std::vector<std::uint8_t> bytes = write_trace_bytes(trace);
  const auto again = read_trace_bytes(bytes);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again.value().events, trace.events);
  EXPECT_LT(bytes.size(), trace.events.size() * 8);
}

TEST(Writer, WhatHasNoFormIsRefused) {
  EXPECT_TRUE(write_trace_bytes(one_event({.size = 4})).empty()) << "no kind";
  EXPECT_TRUE(write_trace_bytes(one_event({.size = 9, .kind = EventKind::Read})).empty()) << "nine bytes inline";
  EXPECT_TRUE(write_trace_bytes(one_event({.size = 4, .thread = 1, .kind = EventKind::Read})).empty())
      << "no such thread";
  EXPECT_TRUE(write_trace_bytes(one_event({.size = 4, .site = 1, .kind = EventKind::Read})).empty()) << "no such site";
  EXPECT_TRUE(
      write_trace_bytes(one_event({.extra = 5, .size = 20, .kind = EventKind::Read, .flags = kPayload})).empty())
      << "no such bytes";
  EXPECT_FALSE(write_trace(one_event({.size = 4}), testing::TempDir() + "sooth_writer_test.sooth").ok());
}

TEST(Writer, FilesAreWholeOrNotThere) {
  const Trace trace = one_event({.address = 0x1000, .value = 1, .size = 4, .kind = EventKind::Write});
  const std::string path = testing::TempDir() + "sooth_writer_test.sooth";
  const auto size = write_trace(trace, path);
  ASSERT_TRUE(size.ok());
  const auto again = read_trace(path);
  std::remove(path.c_str());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again.value().events, trace.events);
  EXPECT_EQ(again.value().file_bytes, size.value());
  EXPECT_FALSE(write_trace(trace, "/no/such/folder/trace.sooth").ok());
}
