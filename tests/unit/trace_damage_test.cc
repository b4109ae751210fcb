// Damaged, truncated and half-written files: the intact part, a message with the offset, never a crash.
#include <gtest/gtest.h>

#include "trace/file/chunk_scan.h"
#include "trace/reader.h"
#include "unit/raw_file.h"

using namespace sooth::trace;
using namespace sooth::test;

namespace {

constexpr std::uint64_t x = 0x1000;

// Two threads, three chunks each, a module, a Live buffer: something of everything, in a few kilobytes.
RawFile small_file() {
  RawFile file;
  file.module(kFirstSite, {{"a.cpp", 1, 1, "f()", "x", 0}}).strings({"name"}).process("program=demo\n");
  for (std::uint64_t i = 0; i < 3; ++i) {
    file.events(0, {ticketed(EventKind::Acquire, 0x9000, 0, 4 * i + 1), write(x, i, 4 * i + 1),
                    ticketed(EventKind::Release, 0x9000, 0, 4 * i + 2)});
    Slots slots = {ticketed(EventKind::Acquire, 0x9000, 0, 4 * i + 3), read(x, i, 4 * i + 3)};
    for (const RawEvent& e : range(EventKind::Write, x + 64, std::vector<std::uint8_t>(40, 7), 4 * i + 3))
      slots.push_back(e);
    slots.push_back(ticketed(EventKind::Release, 0x9000, 0, 4 * i + 4));
    file.events(1, slots);
  }
  return file.live(0, {write(x, 9, 13), write(x, 10, 13)}, 4);
}

constexpr std::size_t kSmallEvents = 3 * 3 + 3 * 4 + 2;

} // namespace

TEST(Damage, TheSmallFileIsWhole) {
  const Trace trace = trace_of(small_file());
  EXPECT_EQ(trace.events.size(), kSmallEvents);
  EXPECT_EQ(first_illegal(trace), -1);
  EXPECT_TRUE(trace.notes.empty());
}

TEST(Damage, AFileThatWasCutBetweenChunksIsTold) {
  RawFile file = small_file();
  file.header().file_end = file.size();
  EXPECT_TRUE(trace_of(file).notes.empty());
  file.header().file_end = file.size() + 640;
  file.header().end_kind = static_cast<std::uint32_t>(EndKind::Exit);
  const Trace trace = trace_of(file);
  EXPECT_EQ(trace.events.size(), kSmallEvents - 2); // thread 1 has no buffer, so its next events are lost
  ASSERT_EQ(trace.notes.size(), 2u);
  EXPECT_NE(trace.notes[0].find("640 bytes before its last chunk"), std::string::npos) << trace.notes[0];
  EXPECT_EQ(trace.defect(Defect::DamagedBytes), 640u);
}

TEST(Damage, TruncationAtEveryByteGivesTheIntactPart) {
  RawFile file = small_file();
  file.header().file_end = file.size();
  const std::vector<std::uint8_t> whole = file.bytes();
  std::size_t last = 0;
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const std::vector<std::uint8_t> part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const auto trace = read_trace_bytes(part);
    ASSERT_EQ(trace.ok(), size >= sizeof(FileHeader)) << size;
    if (!trace.ok()) continue;
    const std::size_t events = trace.value().events.size();
    EXPECT_GE(events, last) << size;
    EXPECT_EQ(first_illegal(trace.value()), -1) << size;
    last = events;
    EXPECT_EQ(trace.value().defect(Defect::DamagedBytes) != 0, size != whole.size()) << size;
    EXPECT_EQ(trace.value().notes.empty(), size == whole.size()) << size;
  }
  EXPECT_EQ(last, kSmallEvents);
}

TEST(Damage, EveryFlippedByteIsSurvivedAndMostAreTold) {
  const std::vector<std::uint8_t> whole = small_file().bytes();
  for (std::size_t at = kHeaderBytes; at < whole.size(); ++at) {
    for (const std::uint8_t flip : {0x01, 0x80, 0xff}) {
      std::vector<std::uint8_t> bytes = whole;
      bytes[at] ^= flip;
      const auto trace = read_trace_bytes(bytes);
      ASSERT_TRUE(trace.ok()) << at;
      EXPECT_EQ(first_illegal(trace.value()), -1) << at;
      EXPECT_TRUE(trace.value().events.size() + 2 >= kSmallEvents || !trace.value().notes.empty()) << at;
    }
  }
}

TEST(Damage, DamagedChunkIsNamedByItsOffset) {
  RawFile file;
  file.events(0, {write(x, 1, 1)});
  const std::uint64_t offset = file.size();
  file.events(0, {write(x, 2, 1), write(x, 3, 1)}).events(0, {write(x, 4, 1)});
  std::vector<std::uint8_t> bytes = file.bytes();
  bytes[offset + sizeof(ChunkHeader) + 2] ^= 1;
  const auto trace = read_trace_bytes(bytes);
  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(text_of(trace.value()), "0 write x=1");
  EXPECT_EQ(trace.value().defect(Defect::DamagedChunks), 1u);
  EXPECT_GT(trace.value().defect(Defect::DamagedBytes), sizeof(ChunkHeader));
  EXPECT_EQ(trace.value().defect(Defect::EventsBehindEnd), 3u);
  ASSERT_EQ(trace.value().notes.size(), 2u);
  EXPECT_NE(trace.value().notes[0].find(hexadecimal(offset)), std::string::npos) << trace.value().notes[0];
  EXPECT_NE(trace.value().notes[0].find("checksum"), std::string::npos) << trace.value().notes[0];
}

TEST(Damage, DamagedHeaderCostsTheRestOfItsThread) {
  RawFile file;
  file.events(0, {write(x, 1, 1)});
  const std::uint64_t offset = file.size();
  file.events(0, {write(x, 2, 1)}).events(0, {write(x, 3, 1)});
  std::vector<std::uint8_t> bytes = file.bytes();
  bytes[offset + 20] ^= 0x40;
  const auto trace = read_trace_bytes(bytes);
  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(text_of(trace.value()), "0 write x=1");
  EXPECT_EQ(trace.value().defect(Defect::EventsBehindEnd), 2u);
}

TEST(Damage, HoleIsANoteAndLosesNothingUnlessSlotsSaySo) {
  RawFile file;
  file.events(0, {write(x, 1, 1)}).zeros(640).events(0, {write(x, 2, 1)});
  Trace trace = trace_of(file);
  EXPECT_EQ(trace.events.size(), 2u);
  EXPECT_EQ(trace.defect(Defect::DamagedChunks), 0u);
  EXPECT_EQ(trace.defect(Defect::EventsBehindEnd), 0u);
  EXPECT_EQ(trace.notes.size(), 1u);

  file.zeros(640).events(0, {write(x, 7, 1)}, 6).zeros(256);
  trace = trace_of(file);
  EXPECT_EQ(trace.events.size(), 2u);
  EXPECT_EQ(trace.defect(Defect::EventsBehindEnd), 5u);
  EXPECT_EQ(trace.notes.size(), 3u) << "two holes and the missing slots; zeros at the end are no hole";
}

// Thread 0 loses its slots from the second chunk on. Thread 1 took the lock after it, then before the loss is over, then
// after it: only the first may stay.
TEST(Damage, OtherThreadsEndWhereTheLossBegins) {
  const auto section = [](std::uint64_t ticket) {
    return Slots{ticketed(EventKind::Acquire, 0x9000, 0, ticket), ticketed(EventKind::Release, 0x9000, 0, ticket + 1)};
  };
  Slots others = section(1);
  for (const std::uint64_t ticket : {7u, 11u})
    for (const RawEvent& e : section(ticket)) others.push_back(e);
  RawFile file;
  file.events(0, section(3));
  file.events(0, section(9), 4).events(1, others);
  const Trace trace = trace_of(file);
  EXPECT_EQ(trace.events.size(), 4u); // both threads up to number 4
  EXPECT_EQ(first_illegal(trace), -1);
  EXPECT_EQ(trace.defect(Defect::EventsBehindEnd), 4u + 4u); // two lost slots and two behind them; thread 1's
  EXPECT_EQ(trace.defect(Defect::MissingEvents), 0u);
}

// A cut file without any event of thread 1, which thread 0 made at number 1.
TEST(Damage, AThreadThatIsLostAltogetherEndsTheTraceAtItsCreation) {
  RawFile file;
  file.live(0, {ticketed(EventKind::Fork, 0, 1, 1), write(x, 1, 1), ticketed(EventKind::Join, 0, 1, 8)}, 4);
  EXPECT_EQ(trace_of(file).events.size(), 3u);
  file.header().file_end = file.size() + 640;
  EXPECT_EQ(trace_of(file).events.size(), 2u);
  file.header().threads = 3; // one more, and nobody knows since when
  EXPECT_EQ(trace_of(file).events.size(), 0u);
}

TEST(Damage, KilledInTheMiddleKeepsWhatBuffersHeld) {
  RawFile file;
  file.header().end_kind = static_cast<std::uint32_t>(EndKind::Running);
  file.live(0, {ticketed(EventKind::Fork, 0, 1, 1), write(x, 1, 1), RawEvent{}}, 8);
  file.live(1, {ticketed(EventKind::ThreadStart, 0, 0, 2), read(x, 1, 2)}, 8);
  const Trace trace = trace_of(file);
  EXPECT_EQ(trace.events.size(), 4u);
  EXPECT_EQ(trace.defect(Defect::OpenThreads), 2u);
  EXPECT_EQ(trace.defect(Defect::DamagedChunks), 0u);
}

TEST(Damage, ChecksumThatFitsNonsenseIsStillNonsense) {
  RawFile file;
  ChunkHeader header = {};
  header.type = static_cast<std::uint32_t>(ChunkType::Events);
  header.raw_bytes = 100;
  header.count = 10;
  file.chunk(header, std::vector<std::uint8_t>(50, 0xee));
  header.type = static_cast<std::uint32_t>(ChunkType::Module);
  file.chunk(header, std::vector<std::uint8_t>(50, 0xee));
  header.type = static_cast<std::uint32_t>(ChunkType::Strings);
  file.chunk(header, std::vector<std::uint8_t>(50, 0xee));
  const Trace trace = trace_of(file);
  EXPECT_TRUE(trace.events.empty());
  EXPECT_EQ(trace.defect(Defect::DamagedChunks), 3u);
  EXPECT_EQ(trace.defect(Defect::EventsBehindEnd), 10u);
}

TEST(Damage, SizesThatCannotBeAreNotBelieved) {
  RawFile file;
  ChunkHeader header = {};
  header.type = static_cast<std::uint32_t>(ChunkType::Events);
  header.raw_bytes = std::uint64_t{1} << 60;
  header.count = UINT32_MAX;
  file.chunk(header, std::vector<std::uint8_t>(50, 0));
  header.raw_bytes = 100;
  header.count = 1;
  header.thread = UINT32_MAX;
  file.chunk(header, std::vector<std::uint8_t>(50, 0));
  const Trace trace = trace_of(file);
  EXPECT_EQ(trace.defect(Defect::DamagedChunks), 2u);
  EXPECT_TRUE(trace.threads.empty());
}
