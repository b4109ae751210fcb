// Ends of ownership (restore/moves.h): what a row makes of the threads' streams, and bad rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "trace/file/chunk_scan.h"
#include "trace/reader.h"
#include "trace/restore/hand_over.h"
#include "trace/verify.h"
#include "unit/raw_file.h"

using namespace sooth::trace;
using namespace sooth::test;

namespace {

constexpr std::uint64_t kBlock = 0x40000;
constexpr std::uint64_t kOther = 0x9000; // memory beside it

// Thread 0 had the block to itself up to number 10. Then thread 1 came, and read 7 there.
RawFile handed_over(const std::vector<MoveRow>& rows) {
  RawFile file;
  file.events(0, {write(kBlock + 8, 1, 1), ticketed(EventKind::Fork, 0, 1, 2),
                  ticketed(EventKind::Acquire, kOther, 0, 3), ticketed(EventKind::Release, kOther, 0, 20)});
  file.events(1, {ticketed(EventKind::ThreadStart, 0, 0, 4), read(kBlock + 8, 7, 12), read(kBlock + 8, 7, 12)});
  return file.moves(rows);
}

// Where the event is, or the number of events.
template <typename Is>
std::size_t place_of(const Trace& trace, Is&& is) {
  return static_cast<std::size_t>(std::ranges::find_if(trace.events, is) - trace.events.begin());
}
std::size_t place_of(const Trace& trace, std::uint32_t thread, EventKind kind) {
  return place_of(trace, [&](const Event& e) { return e.thread == thread && e.kind == kind; });
}
std::size_t count(const Trace& trace, EventKind kind) {
  return static_cast<std::size_t>(std::ranges::count(trace.events, kind, &Event::kind));
}

} // namespace

TEST(Moves, ARowOrdersTheOwnerBeforeTheNewcomer) {
  const Trace trace = trace_of(handed_over({{kBlock, 10, 0, 0, 11}}));
  const std::size_t release = place_of(trace, 0, EventKind::HbRelease);
  const std::size_t acquire = place_of(trace, 1, EventKind::HbAcquire);
  ASSERT_LT(release, trace.events.size());
  ASSERT_LT(acquire, trace.events.size());
  EXPECT_LT(place_of(trace, 0, EventKind::Acquire), release); // it has a smaller number than the row
  EXPECT_LT(release, acquire);
  EXPECT_EQ(trace.events[release].address, trace.events[acquire].address);
  EXPECT_TRUE(is_hand_over(trace.events[release]));
  EXPECT_LT(acquire, place_of(trace, 1, EventKind::Read));
  EXPECT_LT(release, place_of(trace, 0, EventKind::Release));
  EXPECT_EQ(count(trace, EventKind::HbAcquire), 1u); // once for all its uses of the block
  EXPECT_TRUE(sooth::trace::verify(trace).problems.empty());
}

// Without the row, the 7 would be a change of memory that nobody made.
TEST(Moves, WhatTheOwnerLeftIsUnknown) {
  const Trace with = trace_of(handed_over({{kBlock, 10, 0, 0, 11}}));
  EXPECT_EQ(count(with, EventKind::ExternalWrite), 0u);
  const std::size_t left = place_of(with, [](const Event& e) { return e.kind == EventKind::Write && e.has(kOpaque); });
  ASSERT_LT(left, with.events.size());
  EXPECT_EQ(with.events[left].address, kBlock);
  EXPECT_EQ(with.events[left].size, kOwnedBytes);
  EXPECT_TRUE(with.events[left].has(kMerged));
  EXPECT_LT(left, place_of(with, 0, EventKind::HbRelease));
  EXPECT_EQ(count(trace_of(handed_over({})), EventKind::ExternalWrite), 1u);
}

// By epoch: before the fork that ends it, whatever the numbers.
TEST(Moves, ARowWithAnEpochComesBeforeTheForkThatEndsIt) {
  const Trace trace = trace_of(handed_over({{kBlock, 10, 0, 1, 11}}));
  EXPECT_LT(place_of(trace, 0, EventKind::HbRelease), place_of(trace, 0, EventKind::Fork));
  EXPECT_LT(place_of(trace, 1, EventKind::HbAcquire), place_of(trace, 1, EventKind::Read));
  EXPECT_TRUE(sooth::trace::verify(trace).problems.empty());
}

// Both before the same fork: the one with the smaller number first, or its taker would come before
// it.
TEST(Moves, RowsByNumberComeBeforeLaterOnesByEpoch) {
  RawFile file;
  file.events(0, {write(kBlock + 8, 1, 1), ticketed(EventKind::Fork, 0, 1, 2), ticketed(EventKind::Fork, 0, 2, 30)});
  file.events(1, {ticketed(EventKind::ThreadStart, 0, 0, 4), read(kBlock + 8, 7, 12)});
  file.events(2, {ticketed(EventKind::ThreadStart, 0, 0, 31), read(kBlock + kOwnedBytes, 7, 40)});
  file.moves({{kBlock, 10, 0, 0, 11}, {kBlock + kOwnedBytes, 35, 0, 2, 36}});
  const Trace trace = trace_of(file);
  const auto tagged = [&](EventKind kind, std::uint32_t row) {
    return place_of(trace, [&](const Event& e) { return e.kind == kind && e.address == hand_over_tag(row); });
  };
  for (const std::uint32_t row : {0u, 1u})
    EXPECT_LT(tagged(EventKind::HbRelease, row), tagged(EventKind::HbAcquire, row));
  EXPECT_LT(tagged(EventKind::HbRelease, 0), tagged(EventKind::HbRelease, 1));
  EXPECT_TRUE(sooth::trace::verify(trace).problems.empty());
}

TEST(Moves, OtherBlocksAndEarlierUsesTakeNothing) {
  EXPECT_EQ(count(trace_of(handed_over({{kBlock + kOwnedBytes, 10, 0, 0, 11}})), EventKind::HbAcquire), 0u);
  EXPECT_EQ(count(trace_of(handed_over({{kBlock, 14, 0, 0, 15}})), EventKind::HbAcquire), 0u);
}

TEST(Moves, RowsThatCannotBeAreCountedAndLeftOut) {
  const std::uint64_t top = ~std::uint64_t{0};
  for (const MoveRow& row : {MoveRow{kBlock + 8, 10, 0, 0, 11}, MoveRow{kBlock, 10, kMaxThreads, 0, 11},
                             MoveRow{kBlock, 11, 0, 0, 11}, MoveRow{top, top, ~0u, ~0u, top}}) {
    const Trace trace = trace_of(handed_over({row}));
    EXPECT_EQ(trace.defect(Defect::MissingEvents), 1u) << row.block << " " << row.number;
    EXPECT_EQ(count(trace, EventKind::HbRelease), 0u);
  }
  EXPECT_EQ(trace_of(handed_over({{kBlock, 10, 0, 0, 0}})).defect(Defect::MissingEvents), 0u); // not finished
}

// Rows of threads, epochs and numbers that the file does not have; every byte of the rows changed.
TEST(Moves, ForgedRowsNeverHarmTheReader) {
  const std::uint64_t top = ~std::uint64_t{0};
  std::set<std::size_t> sizes;
  for (const MoveRow& row : {MoveRow{kBlock, 10, 7, 0, 11}, MoveRow{kBlock, 10, 1, 0, 11}, MoveRow{kBlock, 0, 0, 99, 1},
                             MoveRow{top - 4095, top - 1, 0, 0, top}, MoveRow{0, 0, 0, 0, 1}})
    sizes.insert(trace_of(handed_over({row, row, row})).events.size());
  EXPECT_FALSE(sizes.contains(0));

  const RawFile file = handed_over({{kBlock, 10, 0, 0, 11}, {kBlock, 14, 1, 2, 15}});
  const std::vector<std::uint8_t> whole = file.bytes();
  const std::size_t begin =
      whole.size() - sooth::trace::round_up(3 * sizeof(MoveRow), kChunkAlign) - sizeof(ChunkHeader);
  for (std::size_t at = begin; at < whole.size(); ++at) {
    std::vector<std::uint8_t> damaged = whole;
    damaged[at] ^= 0xff;
    const auto read = read_trace_bytes(damaged);
    ASSERT_TRUE(read.ok()) << at;
    // Nothing of the threads' own events is lost, unless the chunk itself is.
    const Trace& trace = read.value();
    EXPECT_TRUE(trace.events.size() >= 7 || trace.defect(Defect::DamagedBytes) != 0) << at - begin;
  }
}
