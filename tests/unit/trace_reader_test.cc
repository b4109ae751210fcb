// What a whole file says: sites, names, the process, events of every shape.
#include "trace/reader.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "unit/raw_file.h"

using namespace sooth::trace;
using namespace sooth::test;

namespace {

constexpr std::uint64_t x = 0x1000;

} // namespace

TEST(Reader, SitesGlobalsStringsAndProcess) {
  RawFile file;
  file.header().pid = 42;
  file.header().defects[static_cast<unsigned>(Defect::LateEvents)] = 3;
  std::snprintf(file.header().unsupported[0], sizeof file.header().unsupported[0], "pthread_frobnicate");
  file.header().unsupported_calls[0] = 9;
  file.module(kFirstSite + 10, {{"b.cpp", 7, 2, "g()", "p->next", kSiteVolatile}},
              {{0x2000, 4, "late", "int", "b.cpp", 1}});
  file.module(kFirstSite, {{"a.cpp", 1, 1, "f()", "x", 0}, {"a.cpp", 2, 5, "f()", "y", 0}},
              {{0x1000, 8, "early", "long", "a.cpp", 3}}, {1, 2, 3});
  file.strings({"one", "two"});
  file.process("program=/bin/demo\nargument=demo\nargument=-x=1\ndirectory=/"
               "tmp\nlibrary=libm.so\nlibrary=libm.so\nlater=unknown "
               "key\nno equals sign\n");
  RawEvent first = read(x, 1, 1);
  first.site = kFirstSite + 1;
  RawEvent second = read(x, 1, 1);
  second.site = kFirstSite + 10;
  RawEvent call = plain(EventKind::Enter, 0, kFirstSite + 1, 1);
  call.site = kFirstSite;
  RawEvent lost = read(x, 1, 1);
  lost.site = kFirstSite + 5;
  file.events(0, {first, second, call, lost});
  const Trace trace = trace_of(file);
  ASSERT_EQ(trace.events.size(), 4u);
  EXPECT_EQ(trace.sites[trace.events[0].site].variable, "y");
  EXPECT_EQ(trace.sites[trace.events[1].site].file, "b.cpp");
  EXPECT_TRUE(trace.events[1].has(kVolatile));
  EXPECT_FALSE(trace.events[0].has(kVolatile));
  EXPECT_EQ(trace.sites[trace.events[2].value].variable, "y") << "an enter names the site of the call";
  EXPECT_EQ(trace.events[3].site, 0u);
  ASSERT_EQ(trace.globals.size(), 2u);
  EXPECT_EQ(trace.globals[0].name, "early");
  EXPECT_EQ(trace.strings, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(trace.facts, (std::vector<std::vector<std::uint8_t>>{{1, 2, 3}}));
  EXPECT_EQ(trace.process.program, "/bin/demo");
  EXPECT_EQ(trace.process.arguments, (std::vector<std::string>{"demo", "-x=1"}));
  EXPECT_EQ(trace.process.plain_libraries, std::vector<std::string>{"libm.so"});
  EXPECT_EQ(trace.process.pid, 42u);
  EXPECT_EQ(trace.process.unsupported, (std::vector<std::pair<std::string, std::uint64_t>>{{"pthread_frobnicate", 9}}));
  EXPECT_EQ(trace.defect(Defect::LateEvents), 3u);
  EXPECT_TRUE(trace.notes.empty());
}

TEST(Reader, ValuesAndSizes) {
  std::vector<std::uint8_t> sixteen(16, 0x5a), other(16, 0xa5);
  Slots slots = range(EventKind::Write, x, {1, 2, 3}, 1);
  for (const RawEvent& e : rmw(x + 32, sixteen, other, 2)) slots.push_back(e);
  for (const RawEvent& e : range(EventKind::Write, x + 64, sixteen, 2)) slots.push_back(e);
  const Trace trace = restored({slots});
  ASSERT_EQ(trace.events.size(), 3u);
  EXPECT_EQ(trace.events[0].size, 3u);
  EXPECT_EQ(trace.events[0].value, 0x030201u);
  EXPECT_FALSE(trace.events[0].has(kPayload)) << "up to 8 bytes are inline";
  EXPECT_EQ(trace.events[1].size, 16u);
  EXPECT_EQ(trace.bytes[trace.events[1].extra], 0x5a);
  EXPECT_EQ(trace.bytes[trace.events[1].extra + 16], 0xa5);
  EXPECT_EQ(trace.events[2].value, 0x5a5a5a5a5a5a5a5au);
}

TEST(Reader, RangesBeyondFourGibibytesAreSplit) {
  constexpr std::uint64_t six_giga = std::uint64_t{6} << 30;
  RawEvent fill = plain(EventKind::Write, x, six_giga | std::uint64_t{7} << 56, 1);
  fill.flags = kFill;
  const Trace trace = restored({{fill, read(x + six_giga - 4, 0x07070707, 1)}});
  std::uint64_t bytes = 0;
  for (const Event& e : trace.events) {
    if (e.kind != EventKind::Write) continue;
    EXPECT_EQ(e.address, x + bytes);
    EXPECT_EQ(e.value, 7u);
    bytes += e.size;
  }
  EXPECT_EQ(bytes, six_giga);
  EXPECT_EQ(trace.defect(Defect::ExternalWrites), 0u);
}

TEST(Reader, EventsThatMeanNothingAreLeftOutAndTold) {
  RawEvent shapes = plain(EventKind::Write, x, 8, 1);
  shapes.flags = kFill | kOpaque;
  const Trace trace =
      restored({{plain(static_cast<EventKind>(200), x, 0, 1), shapes, plain(EventKind::Read, x, 0, 1, 0),
                 ticketed(EventKind::AtomicRmw, x, 4, 1, 4), read(UINT64_MAX - 1, 0, 1, 4), read(x, 1, 1)}});
  EXPECT_EQ(trace.events.size(), 1u);
  EXPECT_EQ(trace.defect(Defect::MissingEvents), 5u);
  ASSERT_EQ(trace.notes.size(), 1u);
}

TEST(Reader, LiveBufferEndsAtTheFirstUnfinishedSlot) {
  Slots slots = {read(x, 1, 1), RawEvent{}, read(x, 3, 1)};
  RawFile file;
  file.live(0, slots, 16);
  EXPECT_EQ(trace_of(file).events.size(), 1u);
}

TEST(Reader, LiveBufferEndsBeforeAnUnfinishedPayload) {
  Slots slots = {read(x, 1, 1)};
  for (const RawEvent& e : range(EventKind::Write, x, std::vector<std::uint8_t>(100, 1), 1)) slots.push_back(e);
  slots.pop_back();
  RawFile file;
  file.live(0, slots, slots.size());
  EXPECT_EQ(trace_of(file).events.size(), 1u);
}

TEST(Reader, SlotsThatAreTwiceThereAreUsedOnce) {
  const Slots slots = {write(x, 1, 1), write(x, 2, 1), write(x, 3, 1), write(x, 4, 1)};
  RawFile file;
  file.live(0, slots, 8, 0);
  file.events(0, {slots[0], slots[1]}, 0);
  file.events(0, {slots[1], slots[2]}, 1);
  file.live(0, {}, 8, 0, 0);
  const Trace trace = trace_of(file);
  EXPECT_EQ(text_of(trace), "0 write x=1, 0 write x=2, 0 write x=3, 0 write x=4");
  EXPECT_EQ(trace.defect(Defect::MissingEvents), 0u);
  EXPECT_TRUE(trace.notes.empty());
}

TEST(Reader, FreeLiveBufferIsNotRead) {
  RawFile file;
  file.live(0, {write(x, 1, 1)}, 8, 0, 0);
  EXPECT_TRUE(trace_of(file).events.empty());
}

TEST(Reader, OrderOfChunksInTheFileSaysNothing) {
  RawFile file;
  file.events(0, {write(x, 3, 1), write(x, 4, 1)}, 2).events(0, {write(x, 1, 1), write(x, 2, 1)}, 0);
  EXPECT_EQ(text_of(trace_of(file)), "0 write x=1, 0 write x=2, 0 write x=3, 0 write x=4");
}

TEST(Reader, FilesOnDiskReadTheSame) {
  RawFile file;
  file.events(0, {write(x, 1, 1)}).live(0, {write(x, 2, 1)}, 8);
  const std::vector<std::uint8_t> bytes = file.bytes();
  const std::string path = testing::TempDir() + "sooth_reader_test.sooth";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  const sooth::Result<Trace> trace = read_trace(path);
  std::remove(path.c_str());
  ASSERT_TRUE(trace.ok()) << trace.error().text();
  EXPECT_EQ(text_of(trace.value()), "0 write x=1, 0 write x=2");
  EXPECT_EQ(trace.value().file_bytes, bytes.size());
}

TEST(Reader, WhatIsNoTraceIsAnError) {
  EXPECT_FALSE(read_trace("/no/such/file.sooth").ok());
  EXPECT_FALSE(read_trace(testing::TempDir()).ok());
  EXPECT_FALSE(read_trace_bytes({}).ok());
  const std::vector<std::uint8_t> text(5000, 'a');
  EXPECT_FALSE(read_trace_bytes(text).ok());
  RawFile later;
  later.header().version = kFormatVersion + 1;
  const auto result = read_trace_bytes(later.bytes());
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message.find("version 2"), std::string::npos) << result.error().message;
}

// --- requests ---------------------------------------------------------------------------------------------------

namespace {

RawEvent request(std::uint64_t lock, std::uint64_t counter) {
  return plain(EventKind::Request, lock, static_cast<std::uint64_t>(EventKind::Acquire) << kAwaitedShift, counter);
}
std::vector<EventKind> kinds_of(const Trace& trace) {
  std::vector<EventKind> out;
  for (const Event& e : trace.events) out.push_back(e.kind);
  return out;
}

} // namespace

TEST(Reader, ARequestThatWasGrantedIsDropped) {
  RawFile file;
  file.events(0, {request(x, 1), ticketed(EventKind::Acquire, x, 0, 2), request(x + 64, 2)});
  file.live(0, {ticketed(EventKind::Acquire, x + 64, 0, 3)}, 4096);
  EXPECT_EQ(kinds_of(trace_of(file)), (std::vector{EventKind::Acquire, EventKind::Acquire}));
}

TEST(Reader, ARequestThatWasNeverGrantedComesLast) {
  RawFile file;
  file.events(0, {ticketed(EventKind::Acquire, x, 0, 1), request(x + 64, 1)});
  file.live(1, {write(x + 128, 1, 5)}, 4096);
  const Trace trace = trace_of(file);
  EXPECT_EQ(kinds_of(trace), (std::vector{EventKind::Acquire, EventKind::Write, EventKind::Request}));
  EXPECT_EQ(awaited(trace.events[2]).kind, EventKind::Acquire);
  EXPECT_EQ(awaited(trace.events[2]).value, 0u);
}

TEST(Reader, ARequestStaysWhileAHandlerInterruptsIt) {
  RawFile file;
  file.live(0, {request(x, 1), ticketed(EventKind::SignalEnter, 0x99, 15, 2), write(x + 64, 1, 2)}, 4096);
  EXPECT_EQ(kinds_of(trace_of(file)), (std::vector{EventKind::Request, EventKind::SignalEnter, EventKind::Write}));
}

// A lock is waited for until it is there; sem_wait comes back with EINTR.
TEST(Reader, ARequestAfterAHandlerGoesOnIfItsCallDoes) {
  for (const EventKind awaited : {EventKind::Acquire, EventKind::SemWait}) {
    RawFile file;
    file.live(0,
              {plain(EventKind::Request, x, static_cast<std::uint64_t>(awaited) << kAwaitedShift, 1),
               ticketed(EventKind::SignalEnter, 0x99, 15, 2), ticketed(EventKind::SignalExit, 0x99, 15, 3)},
              4096);
    std::vector<EventKind> expected = {EventKind::SignalEnter, EventKind::SignalExit};
    if (awaited == EventKind::Acquire) expected.push_back(EventKind::Request);
    EXPECT_EQ(kinds_of(trace_of(file)), expected);
  }
}

TEST(Reader, ARequestThatWasGrantedAfterAHandlerIsDropped) {
  RawFile file;
  file.live(0,
            {request(x, 1), ticketed(EventKind::SignalEnter, 0x99, 15, 2), write(x + 64, 1, 2),
             ticketed(EventKind::SignalExit, 0x99, 15, 3), ticketed(EventKind::Acquire, x, 0, 4)},
            4096);
  EXPECT_EQ(kinds_of(trace_of(file)),
            (std::vector{EventKind::SignalEnter, EventKind::Write, EventKind::SignalExit, EventKind::Acquire}));
}

TEST(Reader, AnInterruptedRequestStandsWhereTheHandlerBegins) {
  RawFile file;
  file.live(0, {request(x, 1), ticketed(EventKind::SignalEnter, 0x99, 15, 9)}, 4096);
  file.live(1, {ticketed(EventKind::Acquire, x, 0, 5)}, 4096);
  EXPECT_EQ(kinds_of(trace_of(file)), (std::vector{EventKind::Acquire, EventKind::Request, EventKind::SignalEnter}));
}
