// Held accesses: pairs of nearly equal orders, one in which another thread comes in between and one in which not.
#include "trace/restore/holds.h"

#include <gtest/gtest.h>

#include "unit/raw_file.h"

using namespace sooth::trace;
using namespace sooth::test;

namespace {

constexpr std::uint64_t x = 0x1000;
constexpr std::uint64_t y = 0x1008;

Event access(std::uint32_t thread, EventKind kind, std::uint64_t address, std::uint8_t flags = 0) {
  Event e;
  e.thread = thread;
  e.kind = kind;
  e.address = address;
  e.size = 4;
  e.flags = flags;
  return e;
}
Event sync(std::uint32_t thread) { return access(thread, EventKind::Release, 0x9000, kTicket); }

std::uint64_t broken(std::vector<Event> events) {
  Trace trace;
  trace.events = std::move(events);
  trace.threads.resize(2);
  count_broken_holds(trace);
  return trace.defect(Defect::BrokenHolds);
}

} // namespace

TEST(Holds, AnAccessWithANumberOfItsOwnEndsNoSegment) {
  for (const EventKind kind : {EventKind::Read, EventKind::Write}) {
    EXPECT_FALSE(ends_segment(access(0, kind, y, kTicket)));
    EXPECT_EQ(broken({access(0, EventKind::Read, x, kHeld), access(0, kind, y, kTicket), access(1, EventKind::Write, x),
                      access(0, EventKind::Read, y), sync(0)}),
              1u);
  }
}

TEST(Holds, ForeignWriteDuringAHeldReadBreaksIt) {
  EXPECT_EQ(broken({access(0, EventKind::Read, x, kHeld), access(1, EventKind::Write, x), access(0, EventKind::Read, y),
                    sync(0)}),
            1u);
}
TEST(Holds, ForeignReadDuringAHeldReadDoesNot) {
  EXPECT_EQ(broken({access(0, EventKind::Read, x, kHeld), access(1, EventKind::Read, x), access(0, EventKind::Read, y),
                    sync(0)}),
            0u);
}
TEST(Holds, ForeignReadDuringAHeldWriteBreaksIt) {
  EXPECT_EQ(broken({access(0, EventKind::Write, x, kHeld), access(1, EventKind::Read, x), access(0, EventKind::Read, y),
                    sync(0)}),
            1u);
}
TEST(Holds, TimeBeforeTheEndOfTheSegmentIsNoHold) {
  EXPECT_EQ(broken({access(0, EventKind::Write, x, kHeld), access(1, EventKind::Read, x), sync(0)}), 0u);
}
TEST(Holds, TimeBeforeTheNextKeptAccessIsNoHold) {
  EXPECT_EQ(broken({access(0, EventKind::Read, x, kHeld), access(1, EventKind::Write, x),
                    access(0, EventKind::Read, x, kHeld), sync(0)}),
            0u);
}
TEST(Holds, TimeBeforeAMergedWriteIsHeld) {
  EXPECT_EQ(broken({access(0, EventKind::Write, x, kHeld), access(1, EventKind::Read, x),
                    access(0, EventKind::Write, x, kMerged), sync(0)}),
            1u);
}
TEST(Holds, NothingIsHeldAfterTheSegment) {
  EXPECT_EQ(broken({access(0, EventKind::Write, x, kHeld), sync(0), access(1, EventKind::Read, x),
                    access(0, EventKind::Read, y), sync(0)}),
            0u);
}
TEST(Holds, AllocationDoesNotEndASegment) {
  EXPECT_EQ(broken({access(0, EventKind::Write, x, kHeld), access(0, EventKind::Alloc, y, kTicket),
                    access(1, EventKind::Read, x), access(0, EventKind::Read, y), sync(0)}),
            1u);
}
TEST(Holds, AtomicReadEndsASegment) {
  EXPECT_EQ(broken({access(0, EventKind::Write, x, kHeld), access(0, EventKind::AtomicRead, y),
                    access(1, EventKind::Read, x), access(0, EventKind::Read, y), sync(0)}),
            0u);
}
TEST(Holds, OtherBytesOfTheGranuleDoNotMatter) {
  EXPECT_EQ(broken({access(0, EventKind::Write, x, kHeld), access(1, EventKind::Write, x + 4),
                    access(0, EventKind::Read, y), sync(0)}),
            0u);
}
TEST(Holds, EachHoldIsCountedOnce) {
  EXPECT_EQ(broken({access(0, EventKind::Read, x, kHeld), access(1, EventKind::Write, x), access(0, EventKind::Read, y),
                    access(1, EventKind::Write, x), access(0, EventKind::Read, y), sync(0)}),
            1u);
}
TEST(Holds, WithoutTheFlagNothingIsHeld) {
  EXPECT_EQ(
      broken({access(0, EventKind::Write, x), access(1, EventKind::Write, x), access(0, EventKind::Read, y), sync(0)}),
      0u);
}
