// A trace that is read a piece at a time: what is found in a piece, behind what stands at its beginning, is found in the
// whole trace, and every piece is a legal trace.
//
// The mutants show that what stands is needed: pieces that may change it, or that know less of it, find what is not there or
// are no legal traces.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lives.h"
#include "survey/sharing.h"
#include "trace/file/chunk_scan.h"
#include "trace/pieces.h"
#include "trace/writer.h"
#include "traces.h"

namespace sooth::cross {
namespace {

using trace::Pieces;

Pieces opened(const std::vector<std::uint8_t>& file, trace::Sieve& sieve) {
  trace::FileHeader header;
  std::memcpy(&header, file.data(), sizeof header);
  trace::ReadOptions reading;
  reading.sieve = &sieve;
  return Pieces(header, trace::scan_chunks(file), std::make_unique<trace::BytesInMemory>(file), reading);
}

// With pieces of so many events, each changed as `lie` has it.
Found found_in_pieces(const std::vector<std::uint8_t>& file, std::size_t most, std::size_t overlap,
                      const std::function<void(Trace&)>& lie = {}) {
  Found out;
  survey::Sharing sharing;
  Pieces pieces = opened(file, sharing);
  Trace piece;
  for (;;) {
    const Pieces::Got got = pieces.next(most, overlap, piece);
    if (got == Pieces::Got::Nothing) return out;
    if (got == Pieces::Got::BeginAgain) {
      out = {};
      continue;
    }
    if (lie) lie(piece);
    ++out.sieved; // pieces, here
    look_into(std::move(piece), out);
  }
}

bool holds_all(const std::set<std::string>& whole, const std::set<std::string>& some) {
  return std::ranges::includes(whole, some);
}

std::uint64_t seeds() {
  const char* mode = std::getenv("SOOTH_CROSS");
  return mode != nullptr && std::string_view(mode) == "long" ? 100'000 : 1500;
}

TEST(Pieces, FindNothingThatTheWholeTraceDoesNotHave) {
  std::uint64_t pieces = 0, findings = 0, of_whole = 0;
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    const Trace trace = Life(seed).make(16 + seed % 24);
    const std::vector<std::uint8_t> file = write_trace_bytes(trace);
    const Found whole = found_in(file, nullptr);
    of_whole += whole.findings.size();
    for (const std::size_t most : {6u, 12u}) {
      const Found some = found_in_pieces(file, most, most / 2);
      ASSERT_TRUE(some.legal) << "seed " << seed << ", pieces of " << most << ": "
                              << fmt::format("{}", fmt::join(some.findings, "; ")) << "\n"
                              << text(trace);
      ASSERT_EQ(some.objections, 0u) << "seed " << seed << ", pieces of " << most << ": "
                                     << fmt::format("{}", fmt::join(some.findings, "; ")) << "\n"
                                     << text(trace);
      ASSERT_TRUE(holds_all(whole.findings, some.findings))
          << "seed " << seed << ", pieces of " << most << ": " << fmt::format("{}", fmt::join(some.findings, "; "))
          << "\nwhole: " << fmt::format("{}", fmt::join(whole.findings, "; ")) << "\n"
          << text(trace);
      pieces += some.sieved;
      findings += some.findings.size();
    }
  }
  EXPECT_GT(pieces, 4 * seeds());    // they are cut
  EXPECT_GT(findings, of_whole / 4); // and asked
}

TEST(Pieces, OnePieceIsTheWholeTrace) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const std::vector<std::uint8_t> file = write_trace_bytes(Life(seed).make(16 + seed % 24));
    survey::Sharing sharing;
    const Found whole = found_in(file, &sharing), one = found_in_pieces(file, 1000, 100);
    EXPECT_EQ(one.sieved, 1u);
    EXPECT_EQ(whole.findings, one.findings) << "seed " << seed;
    EXPECT_EQ(whole.events, one.events);
  }
}

// Conditions, barriers, semaphores, read-write locks, one-time initialisation, handlers of signals:
// wherever a trace is cut, what stands makes the rest legal.
Trace of_all_primitives() {
  constexpr std::uint64_t kMutex = 0x1000, kCondition = 0x1100, kBarrier = 0x1200, kSemaphore = 0x1300,
                          kReaders = 0x1400, kOnce = 0x1500, kX = 0x2000, kY = 0x2008, kZ = 0x2010;
  TraceBuilder b(3);
  b.add(0, EventKind::SemInit, kSemaphore, 1);
  b.add(0, EventKind::BarrierInit, kBarrier, 2);
  for (const std::uint32_t child : {1u, 2u}) {
    b.add(0, EventKind::Fork, 0, child);
    b.add(child, EventKind::ThreadStart, 0, 0);
  }
  b.add(1, EventKind::OnceBegin, kOnce);
  b.add(1, EventKind::OnceEnd, kOnce);
  for (std::uint64_t round = 1; round <= 3; ++round) {
    b.add(1, EventKind::Acquire, kMutex);
    b.add(1, EventKind::Wait, kCondition, kMutex);
    b.add(2, EventKind::Acquire, kMutex);
    b.write(2, kX, 4, round);
    b.add(2, EventKind::Signal, kCondition);
    b.add(2, EventKind::Release, kMutex);
    b.add(1, EventKind::Wake, kCondition, kMutex);
    b.read(1, kX, 4, round);
    b.add(1, EventKind::Release, kMutex);
    b.add(1, EventKind::BarrierArrive, kBarrier);
    b.add(2, EventKind::SignalEnter, 0x40, 10);
    b.add(2, EventKind::SignalExit, 0x40, 10);
    b.add(2, EventKind::BarrierArrive, kBarrier);
    b.add(1, EventKind::BarrierLeave, kBarrier);
    b.write(1, kY, 4, round);
    b.add(2, EventKind::BarrierLeave, kBarrier);
    b.add(2, EventKind::OnceWait, kOnce);
    for (const std::uint32_t thread : {1u, 2u}) {
      b.add(thread, EventKind::SemWait, kSemaphore);
      b.write(thread, kZ, 4, thread);
      b.add(thread, EventKind::SemPost, kSemaphore);
    }
    for (const std::uint32_t thread : {1u, 2u}) b.add(thread, EventKind::AcquireShared, kReaders);
    for (const std::uint32_t thread : {1u, 2u}) b.read(thread, kZ, 4, 2);
    for (const std::uint32_t thread : {1u, 2u}) b.add(thread, EventKind::ReleaseShared, kReaders);
  }
  for (const std::uint32_t child : {1u, 2u}) {
    b.add(child, EventKind::ThreadEnd);
    b.add(0, EventKind::Join, 0, child);
  }
  for (std::uint32_t i = 0; i < b.trace.events.size(); ++i) b.trace.events[i].site = b.site("p.c", i + 1, "f", "v");
  return b.trace;
}

TEST(Pieces, AreLegalWhereverPrimitivesAreCut) {
  const Trace trace = of_all_primitives();
  const std::vector<std::uint8_t> file = write_trace_bytes(trace);
  const Found whole = found_in(file, nullptr);
  ASSERT_TRUE(whole.legal) << text(trace);
  for (std::size_t most = 3; most + 8 < trace.events.size(); ++most) { // some are private
    const Found some = found_in_pieces(file, most, most / 3);
    EXPECT_TRUE(some.legal && some.objections == 0)
        << "pieces of " << most << ": " << fmt::format("{}", fmt::join(some.findings, "; "));
    EXPECT_GT(some.sieved, 1u);
  }
}

// --- mutants ---------------------------------------------------------------------------------------------------

bool is_noticed_in_pieces(const std::function<void(Trace&)>& lie) {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    const std::vector<std::uint8_t> file = write_trace_bytes(Life(seed).make(16 + seed % 24));
    const Found some = found_in_pieces(file, 8, 4, lie);
    if (!some.legal || some.objections != 0 || !holds_all(found_in(file, nullptr).findings, some.findings)) return true;
  }
  return false;
}

// Takes away what stands, if it is of this kind.
std::function<void(Trace&)> without(EventKind kind) {
  return [kind](Trace& piece) {
    for (std::uint32_t i = piece.standing; i-- > 0;) {
      if (piece.events[i].kind != kind) continue;
      piece.events.erase(piece.events.begin() + i);
      piece.numbers.erase(piece.numbers.begin() + i);
      --piece.standing;
    }
  };
}

TEST(PiecesMutants, RunsThatChangeWhatStands) {
  EXPECT_TRUE(is_noticed_in_pieces([](Trace& piece) { piece.standing = 0; }));
}
TEST(PiecesMutants, LocksThatNobodyHolds) { EXPECT_TRUE(is_noticed_in_pieces(without(EventKind::Acquire))); }
TEST(PiecesMutants, ThreadsThatNobodyMade) { EXPECT_TRUE(is_noticed_in_pieces(without(EventKind::Fork))); }

} // namespace
} // namespace sooth::cross
