// A trace whose first pass is stopped, because there is no time for all of it: its beginning is
// read and analysed, and is a trace of its own. Time is counted in questions of the reader, not in
// seconds.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/find.h"
#include "analysis/prepare.h"
#include "lives.h"
#include "survey/sharing.h"
#include "trace/pieces.h"
#include "trace/reader.h"
#include "trace/writer.h"
#include "unit/raw_file.h"

namespace sooth::cross {
namespace {

using test::plain;
using test::RawFile;
using test::ticketed;

constexpr std::uint64_t kMutex = 0x10000, kX = 0x20000, kY = 0x20100;
constexpr std::uint64_t kRounds = 50'000, kPerChunk = 250, kEventsOfRound = 4; // more events than between two questions

// Thread 2 ends soon, and is joined at the end of the run. In between, main and thread 1 lock in
// turns. They race on y in their first rounds.
std::vector<std::uint8_t> long_run() {
  RawFile file;
  file.header().end_kind = static_cast<std::uint32_t>(trace::EndKind::Exit);
  file.header().threads = 3;
  std::uint64_t ticket = 0;
  const auto fork = [&](std::uint64_t child) { return ticketed(EventKind::Fork, 0, child, ++ticket); };
  test::Slots slots[3] = {{fork(1), fork(2)}, {}, {}};
  slots[2] = {ticketed(EventKind::ThreadStart, 0, 0, ++ticket), ticketed(EventKind::ThreadEnd, 0, 0, ++ticket)};
  file.events(2, slots[2]);
  slots[1] = {ticketed(EventKind::ThreadStart, 0, 0, ++ticket)};
  for (std::uint64_t round = 1; round <= kRounds; ++round) {
    test::Slots& mine = slots[round % 2];
    if (round <= 2) mine.push_back(test::write(kY, round, ticket));
    mine.push_back(ticketed(EventKind::Acquire, kMutex, 0, ++ticket));
    mine.push_back(test::read(kX, round - 1, ticket));
    mine.push_back(test::write(kX, round, ticket));
    mine.push_back(ticketed(EventKind::Release, kMutex, 0, ++ticket));
    if (round % kPerChunk != 0) continue;
    for (const std::uint32_t thread : {0u, 1u}) file.events(thread, std::exchange(slots[thread], {}));
  }
  file.events(1, {ticketed(EventKind::ThreadEnd, 0, 0, ++ticket)});
  file.events(0, {ticketed(EventKind::Join, 0, 2, ++ticket), ticketed(EventKind::Join, 0, 1, ++ticket + 1)});
  return file.bytes();
}

// What the reader hands out if its first pass is stopped so many times.
struct Beginning {
  trace::Trace trace;
  double part_read = 0;
  bool is_beginning = false, stopped = false;
  unsigned sieves = 0;
};
Beginning beginning_of(const std::vector<std::uint8_t>& file, unsigned stops, bool again = true) {
  Beginning out;
  std::unique_ptr<survey::Sharing> sieve = std::make_unique<survey::Sharing>();
  trace::ReadOptions options;
  options.sieve = sieve.get();
  options.stop = [&] { return stops != 0 && stops-- != 0; };
  options.stopped = &out.stopped;
  if (again)
    options.again = [&]() -> trace::Sieve* {
      ++out.sieves;
      sieve = std::make_unique<survey::Sharing>();
      return sieve.get();
    };
  trace::FileHeader header;
  std::memcpy(&header, file.data(), sizeof header);
  trace::Pieces pieces(header, trace::scan_chunks(file), std::make_unique<trace::BytesInMemory>(file), options);
  pieces.next(std::size_t{1} << 30, 0, out.trace);
  out.part_read = pieces.part_read();
  out.is_beginning = pieces.is_beginning();
  return out;
}

bool begins(const trace::Trace& whole, const trace::Trace& part) {
  const auto same = [](const trace::Event& a, const trace::Event& b) {
    return a.thread == b.thread && a.kind == b.kind && a.address == b.address && a.value == b.value;
  };
  return part.events.size() <= whole.events.size() &&
         std::equal(part.events.begin(), part.events.end(), whole.events.begin(), same);
}

TEST(Beginning, IsReadWhereTheFirstPassIsStopped) {
  const std::vector<std::uint8_t> recorded = long_run();
  auto whole = trace::read_trace_bytes(recorded);
  ASSERT_TRUE(whole);
  ASSERT_EQ(whole->events.size(), kRounds * kEventsOfRound + 10);
  for (const std::vector<std::uint8_t>& file : {recorded, write_trace_bytes(*whole)}) {
    const Beginning all = beginning_of(file, 0);
    EXPECT_FALSE(all.is_beginning || all.stopped);
    EXPECT_EQ(all.part_read, 1);
    EXPECT_EQ(all.trace.events.size(), whole->events.size());

    const Beginning once = beginning_of(file, 1);
    EXPECT_TRUE(once.is_beginning);
    EXPECT_FALSE(once.stopped) << "all of the beginning was read";
    EXPECT_EQ(once.sieves, 1u);
    ASSERT_GT(once.trace.events.size(), 1000u);
    ASSERT_LT(once.trace.events.size(), whole->events.size() / 2);
    EXPECT_TRUE(begins(*whole, once.trace));
    const double part = static_cast<double>(once.trace.events.size()) / static_cast<double>(whole->events.size());
    EXPECT_NEAR(once.part_read, part, 0.01);
  }
}

TEST(Beginning, IsNotReadIfNobodyMayGoOn) {
  const Beginning none = beginning_of(long_run(), 1, false);
  EXPECT_TRUE(none.stopped);
  EXPECT_TRUE(none.trace.events.empty());
}

// What is found in the beginning is true of the run, and what comes behind it is not taken for
// something that never happens.
TEST(Beginning, IsAnalysed) {
  Beginning beginning = beginning_of(long_run(), 1);
  analysis::Spending spending;
  analysis::Progress silent;
  analysis::LeftOut left_out;
  left_out.unread = beginning.is_beginning;
  auto prepared = analysis::prepare(std::move(beginning.trace), spending, silent, left_out);
  ASSERT_TRUE(prepared) << prepared.error().message;
  analysis::Options options;
  options.limits.jobs = 1;
  auto findings = analysis::find_all(**prepared, options, spending, silent);
  ASSERT_TRUE(findings);
  EXPECT_TRUE(findings->objections.empty());
  EXPECT_FALSE(findings->accepted.empty());
  for (const witness::Finding& finding : findings->accepted) EXPECT_EQ(finding.kind, witness::FindingKind::Race);
}

} // namespace
} // namespace sooth::cross
