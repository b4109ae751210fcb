// Restoring one legal order: small programs, each with what the threads recorded and the order that must come out.
#include <gtest/gtest.h>

#include "trace/reader.h"
#include "unit/raw_file.h"

using namespace sooth::trace;
using namespace sooth::test;

namespace {

constexpr std::uint64_t x = 0x1000;
constexpr std::uint64_t y = 0x1008;
constexpr std::uint64_t lock = 0x9000;

Slots operator+(Slots a, const Slots& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
Slots one(const RawEvent& e) { return {e}; }

void expect_legal(const Trace& trace, const std::vector<Slots>& streams, std::uint64_t external_writes) {
  EXPECT_EQ(first_illegal(trace), -1) << text_of(trace);
  EXPECT_TRUE(keeps_threads(trace, streams)) << text_of(trace);
  EXPECT_EQ(trace.defect(Defect::ExternalWrites), external_writes) << text_of(trace);
}

} // namespace

TEST(Restore, LockedProgramComesOutInTicketOrder) {
  const std::vector<Slots> streams = {
      {ticketed(EventKind::Acquire, lock, 0, 1), write(x, 1, 1), ticketed(EventKind::Release, lock, 0, 2)},
      {ticketed(EventKind::Acquire, lock, 0, 3), read(x, 1, 3), write(x, 2, 3),
       ticketed(EventKind::Release, lock, 0, 4)},
  };
  const Trace trace = restored(streams);
  expect_legal(trace, streams, 0);
  EXPECT_EQ(text_of(trace), "0 acquire, 0 write x=1, 0 release, 1 acquire, 1 read x=1, 1 write x=2, 1 release");
}

TEST(Restore, ReadThatSawTheOldValueGoesBack) {
  // Thread 1 looked at the counter after its load; the store of ticket 5 came in between.
  const std::vector<Slots> streams = {
      {ticketed(EventKind::AtomicWrite, x, 0, 1, 4), ticketed(EventKind::AtomicWrite, x, 7, 5, 4)}, {read(x, 0, 5)}};
  const Trace trace = restored(streams);
  expect_legal(trace, streams, 0);
  EXPECT_EQ(text_of(trace), "0 atomic-write x=0, 1 read x=0, 0 atomic-write x=7");
}

TEST(Restore, ReadOfTheInitialValueGoesBackBeforeTheFirstWrite) {
  const std::vector<Slots> streams = {{ticketed(EventKind::AtomicWrite, x, 7, 5, 4)}, {read(x, 0, 5)}};
  const Trace trace = restored(streams);
  expect_legal(trace, streams, 0);
  EXPECT_EQ(text_of(trace), "1 read x=0, 0 atomic-write x=7");
}

TEST(Restore, TwoInitialValuesCannotBothBe) {
  const std::vector<Slots> streams = {{ticketed(EventKind::AtomicWrite, x, 7, 5, 4)}, {read(x, 0, 5)}, {read(x, 1, 5)}};
  const Trace trace = restored(streams);
  expect_legal(trace, streams, 1);
}

TEST(Restore, EventsBeforeAReadGoBackWithIt) {
  const std::vector<Slots> streams = {
      {ticketed(EventKind::AtomicWrite, x, 0, 1, 4), ticketed(EventKind::AtomicWrite, x, 7, 5, 4)},
      {plain(EventKind::Enter, 0, 0, 5), read(y, 3, 5), read(x, 0, 5)}};
  const Trace trace = restored(streams);
  expect_legal(trace, streams, 0);
  EXPECT_EQ(text_of(trace), "0 atomic-write x=0, 1 enter, 1 read y=3, 1 read x=0, 0 atomic-write x=7");
}

TEST(Restore, NoReadGoesBackOverItsOwnTicket) {
  const std::vector<Slots> streams = {
      {ticketed(EventKind::AtomicWrite, x, 0, 1, 4), ticketed(EventKind::AtomicWrite, x, 7, 5, 4)},
      {ticketed(EventKind::Acquire, lock, 0, 6), read(x, 0, 6)}};
  expect_legal(restored(streams), streams, 1);
}

TEST(Restore, WriteThatWasNotSeenYetGoesForward) {
  // Thread 0 looked at the counter, then was slow to store; thread 1 took ticket 6 and still saw the old value.
  const std::vector<Slots> streams = {
      {write(x, 0, 1), ticketed(EventKind::Signal, lock, 0, 2), write(x, 1, 5), write(y, 1, 5)},
      {ticketed(EventKind::Signal, lock, 0, 6), read(x, 0, 6), read(x, 1, 6)}};
  const Trace trace = restored(streams);
  expect_legal(trace, streams, 0);
  EXPECT_EQ(text_of(trace), "0 write x=0, 0 signal, 1 signal, 1 read x=0, 0 write x=1, 0 write y=1, 1 read x=1");
}

// Accesses with numbers of their own: a read takes it after it was made, a write before.
TEST(Restore, NumberedAccessesComeOutInTheirOrder) {
  const std::vector<Slots> streams = {{ticketed(EventKind::Write, x, 1, 4, 4), ticketed(EventKind::Write, y, 1, 7, 4)},
                                      {ticketed(EventKind::Write, x, 2, 3, 4), ticketed(EventKind::Read, x, 1, 5, 4),
                                       ticketed(EventKind::Write, y, 2, 6, 4)}};
  const Trace trace = restored(streams);
  expect_legal(trace, streams, 0);
  EXPECT_EQ(text_of(trace), "1 write x=2, 0 write x=1, 1 read x=1, 1 write y=2, 0 write y=1");
}

TEST(Restore, NumberedReadThatWasFasterThanAWriteGoesBackAlone) {
  // The write of 5 was announced, then the thread was slow to make it. What the reader did before stays behind the other write.
  const std::vector<Slots> streams = {{ticketed(EventKind::Write, x, 1, 5, 4)},
                                      {ticketed(EventKind::Read, y, 0, 4, 4), ticketed(EventKind::Read, x, 0, 6, 4)},
                                      {ticketed(EventKind::Write, y, 3, 3, 4), ticketed(EventKind::Write, y, 0, 3, 4)}};
  const Trace trace = restored(streams);
  expect_legal(trace, streams, 0);
  EXPECT_EQ(text_of(trace), "2 write y=3, 2 write y=0, 1 read y=0, 1 read x=0, 0 write x=1");
}

TEST(Restore, NumberedWriteThatWasNotMadeYetGoesForward) {
  const std::vector<Slots> streams = {{ticketed(EventKind::Write, x, 0, 1, 4), ticketed(EventKind::Write, x, 1, 5, 4)},
                                      {ticketed(EventKind::Read, y, 0, 6, 4), ticketed(EventKind::Read, x, 0, 7, 4)}};
  const Trace trace = restored(streams);
  expect_legal(trace, streams, 0);
  EXPECT_EQ(text_of(trace), "0 write x=0, 1 read y=0, 1 read x=0, 0 write x=1");
}

TEST(Restore, WriteThatWasSeenDoesNotGoForward) {
  const std::vector<Slots> streams = {{write(x, 0, 1), ticketed(EventKind::Signal, lock, 0, 2), write(x, 1, 5)},
                                      {ticketed(EventKind::Signal, lock, 0, 6), read(x, 1, 6), read(x, 0, 6)}};
  expect_legal(restored(streams), streams, 1);
}

TEST(Restore, WriteThatWasSeenEarlyComesForward) {
  const std::vector<Slots> streams = {{ticketed(EventKind::Signal, lock, 0, 2), read(x, 1, 3)},
                                      {plain(EventKind::Branch, 0, 1, 4), write(x, 1, 4)},
                                      {write(x, 0, 0), ticketed(EventKind::Signal, lock, 0, 1)}};
  const Trace trace = restored(streams);
  expect_legal(trace, streams, 0);
  EXPECT_EQ(text_of(trace), "2 write x=0, 2 signal, 0 signal, 1 branch, 1 write x=1, 0 read x=1");
}

TEST(Restore, WriteBehindATicketDoesNotComeForward) {
  const std::vector<Slots> streams = {{ticketed(EventKind::Signal, lock, 0, 2), read(x, 1, 3)},
                                      {ticketed(EventKind::Signal, lock, 0, 9), write(x, 1, 9)},
                                      {write(x, 0, 0), ticketed(EventKind::Signal, lock, 0, 1)}};
  expect_legal(restored(streams), streams, 1);
}

TEST(Restore, RmwThatSawAWriteBringsItForward) {
  const std::vector<Slots> streams = {one(write(x, 0, 1)) + rmw(x, {5, 0, 0, 0}, {6, 0, 0, 0}, 2), {write(x, 5, 2)}};
  const Trace trace = restored(streams);
  expect_legal(trace, streams, 0);
  EXPECT_EQ(text_of(trace), "0 write x=0, 1 write x=5, 0 atomic-rmw x=6");
  EXPECT_EQ(trace.events[2].extra, 5u);
}

TEST(Restore, RmwThatNothingExplainsGetsAnExternalWrite) {
  const std::vector<Slots> streams = {one(write(x, 0, 1)) + rmw(x, {5, 0, 0, 0}, {6, 0, 0, 0}, 2)};
  const Trace trace = restored(streams);
  expect_legal(trace, streams, 1);
  EXPECT_EQ(text_of(trace), "0 write x=0, 0 external-write x=5, 0 atomic-rmw x=6");
}

TEST(Restore, StoreBufferingIsNotSequentiallyConsistent) {
  // Both threads store, then load the other's old value: real hardware does that, no interleaving does.
  const std::vector<Slots> streams = {
      {ticketed(EventKind::Fork, 0, 1, 1), write(x, 0, 1), write(y, 0, 1), ticketed(EventKind::Fork, 0, 2, 2)},
      {ticketed(EventKind::ThreadStart, 0, 0, 3), write(x, 1, 3), read(y, 0, 3),
       ticketed(EventKind::ThreadEnd, 0, 0, 5)},
      {ticketed(EventKind::ThreadStart, 0, 0, 4), write(y, 1, 4), read(x, 0, 4),
       ticketed(EventKind::ThreadEnd, 0, 0, 6)},
  };
  const Trace trace = restored(streams);
  expect_legal(trace, streams, 1);
}

TEST(Restore, BytesNotVariables) {
  const std::vector<Slots> streams = {
      {write(x, 0x11223344, 1), write(x + 1, 0xff, 1, 1), read(x, 0x1122ff44, 1), read(x + 2, 0x1122, 1, 2)}};
  expect_legal(restored(streams), streams, 0);
}

TEST(Restore, AccessesAcrossGranules) {
  const std::vector<Slots> streams = {
      {write(x + 6, 0x44332211, 1), read(x + 8, 0x4433, 1, 2), read(x + 6, 0x2211, 1, 2)}};
  expect_legal(restored(streams), streams, 0);
}

TEST(Restore, MemoryThatComesAndGoesIsUnknownAgain) {
  RawEvent zeroed = ticketed(EventKind::Alloc, x, 64, 4);
  zeroed.flags |= kFill;
  const std::vector<Slots> streams = {{ticketed(EventKind::Alloc, x, 64, 1), write(x, 5, 1),
                                       ticketed(EventKind::Free, x, 64, 2), ticketed(EventKind::Alloc, x, 64, 3),
                                       read(x, 77, 3), ticketed(EventKind::Free, x, 64, 3), zeroed, read(x, 0, 4),
                                       read(y, 9, 4)}};
  const Trace trace = restored(streams);
  EXPECT_EQ(first_illegal(trace), -1);
  EXPECT_EQ(trace.defect(Defect::ExternalWrites), 1u) << "calloc's zero is known, so 9 came from elsewhere";
}

TEST(Restore, GigabytesThatComeAndGoCostNothing) {
  constexpr std::uint64_t giga = std::uint64_t{1} << 30;
  RawEvent fresh = ticketed(EventKind::Map, x & ~0xfffULL, 64 * giga, 1);
  fresh.flags |= kFill;
  Slots slots{fresh, read(x + 5 * giga, 0, 1), write(x + 5 * giga, 3, 1), read(x + 5 * giga, 3, 1)};
  for (std::uint64_t i = 0; i < 2000; ++i) {
    slots.push_back(ticketed(EventKind::Unmap, giga, 64 * giga, 2 + 2 * i));
    slots.push_back(ticketed(EventKind::Map, giga, 64 * giga, 3 + 2 * i));
    slots.back().flags |= kFill;
    slots.push_back(read(x + 5 * giga, 0, 3 + 2 * i));
    slots.push_back(write(x + 5 * giga, 1, 3 + 2 * i));
  }
  EXPECT_EQ(restored({slots}).defect(Defect::ExternalWrites), 0u);
}

TEST(Restore, RangesArePiecesOfMemory) {
  std::vector<std::uint8_t> bytes(100);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i);
  RawEvent fill = plain(EventKind::Write, x + 10, 20 | std::uint64_t{0xab} << 56, 1);
  fill.flags = kFill;
  RawEvent opaque = plain(EventKind::Write, x + 40, 8, 1);
  opaque.flags = kOpaque;
  const std::vector<Slots> streams = {range(EventKind::Write, x, bytes, 1) + one(fill) + one(opaque) +
                                      Slots{read(x + 8, 0xabab0908, 1), read(x + 28, 0x1f1eabab, 1),
                                            read(x + 40, 0xdeadbeef, 1), read(x + 40, 0xdeadbeef, 1),
                                            read(x + 48, 0x33323130, 1)}};
  expect_legal(restored(streams), streams, 0);
}

TEST(Restore, RangeThatSawHalfOfAnotherIsExplainedByAnExternalWriteOnly) {
  const std::vector<std::uint8_t> old(64, 1), fresh(64, 2);
  std::vector<std::uint8_t> half = fresh;
  std::fill(half.begin() + 32, half.end(), std::uint8_t{1});
  const std::vector<Slots> streams = {
      range(EventKind::Write, x, old, 1) + one(ticketed(EventKind::Signal, lock, 0, 2)) +
          range(EventKind::Write, x, fresh, 2) + one(ticketed(EventKind::Signal, lock, 0, 3)),
      one(ticketed(EventKind::Signal, lock, 0, 4)) + range(EventKind::Read, x, half, 4)};
  const Trace trace = restored(streams);
  expect_legal(trace, streams, 1);
}

TEST(Restore, RangeGoesBackAsAWhole) {
  const std::vector<std::uint8_t> old(64, 1), fresh(64, 2);
  const std::vector<Slots> streams = {
      range(EventKind::Write, x, old, 1) + one(ticketed(EventKind::Signal, lock, 0, 2)) +
          range(EventKind::Write, x, fresh, 2) + one(ticketed(EventKind::Signal, lock, 0, 3)),
      range(EventKind::Read, x, old, 3)};
  const Trace trace = restored(streams);
  expect_legal(trace, streams, 0);
  EXPECT_EQ(trace.events[2].thread, 1u) << text_of(trace);
}

TEST(Restore, TicketsThatAreTwiceThereDoNotHang) {
  const std::vector<Slots> streams = {
      {ticketed(EventKind::Acquire, lock, 0, 5), ticketed(EventKind::Release, lock, 0, 3)},
      {ticketed(EventKind::Acquire, lock, 0, 5), ticketed(EventKind::Release, lock, 0, 5)}};
  EXPECT_EQ(restored(streams).events.size(), 4u);
}

TEST(Restore, ThreadsAreSummarised) {
  RawFile file;
  file.strings({"worker"});
  file.events(
      0, {ticketed(EventKind::Fork, 0, 1, 1), ticketed(EventKind::Fork, 0, 2, 2), ticketed(EventKind::Fork, 0, 3, 7)});
  file.events(1, {ticketed(EventKind::ThreadStart, 0, 0, 3), ticketed(EventKind::ThreadName, 0, 0, 4),
                  ticketed(EventKind::ThreadEnd, 0, 0, 5)});
  file.events(2, {ticketed(EventKind::ThreadStart, 0, 0, 6)});
  const Trace trace = trace_of(file);
  ASSERT_EQ(trace.threads.size(), 4u) << "thread 3 was forked and never seen";
  EXPECT_EQ(trace.threads[1].name, "worker");
  EXPECT_TRUE(trace.threads[1].ended);
  EXPECT_FALSE(trace.threads[2].ended);
  EXPECT_EQ(trace.threads[3].parent, 0u);
  EXPECT_EQ(trace.defect(Defect::OpenThreads), 2u);
}

TEST(Restore, WakesWithoutASignalAreSpurious) {
  constexpr std::uint64_t condition = 0x9100;
  RawEvent late = ticketed(EventKind::Wake, condition, lock, 9);
  late.flags |= kFailed;
  const Trace trace = restored({
      {ticketed(EventKind::Wait, condition, lock, 1), ticketed(EventKind::Wake, condition, lock, 4),
       ticketed(EventKind::Wait, condition, lock, 6), ticketed(EventKind::Wake, condition, lock, 7)},
      {ticketed(EventKind::Wait, condition, lock, 2), ticketed(EventKind::Wake, condition, lock, 5),
       ticketed(EventKind::Wait, condition, lock, 8), late},
      {ticketed(EventKind::Signal, condition, 0, 3)},
  });
  EXPECT_EQ(trace.defect(Defect::SpuriousWakes), 2u)
      << "one signal wakes one; nothing woke the second wait of thread 0";
}

TEST(Restore, BroadcastWakesEveryWaiter) {
  constexpr std::uint64_t condition = 0x9100;
  const Trace trace = restored({
      {ticketed(EventKind::Wait, condition, lock, 1), ticketed(EventKind::Wake, condition, lock, 4)},
      {ticketed(EventKind::Wait, condition, lock, 2), ticketed(EventKind::Wake, condition, lock, 5)},
      {ticketed(EventKind::Broadcast, condition, 0, 3)},
  });
  EXPECT_EQ(trace.defect(Defect::SpuriousWakes), 0u);
}
