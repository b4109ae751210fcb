// One legal trace and one illegal neighbour for each rule of src/trace/legality/rules.def.
#include <functional>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "trace/verify.h"
#include "verify_builder.h"

namespace sooth::trace {
namespace {

using testing::TraceBuilder;
using K = EventKind;

constexpr std::uint64_t kVar = 0x1000, kMutex = 0x2000, kCond = 0x3000, kObject = 0x4000;

std::string all_problems(const VerifyReport& report) {
  std::string out;
  for (const Problem& p : report.problems)
    out += std::to_string(p.event) + " " + std::string(rule_rows()[static_cast<std::size_t>(p.rule)].name) + ": " +
           p.sentence + "\n";
  return out;
}

// A legal trace, and what makes it illegal.
struct Case {
  const char* name;
  Rule rule;
  std::function<void(TraceBuilder&)> legal;
  std::function<void(Trace&)> mutate;
};

void swap_events(Trace& t, std::size_t a, std::size_t b) { std::swap(t.events.at(a), t.events.at(b)); }
void drop_event(Trace& t, std::size_t i) { t.events.erase(t.events.begin() + static_cast<std::ptrdiff_t>(i)); }

void forked_child(TraceBuilder& b) { // events 0 to 5
  b.add(0, K::Fork, 0, 1);
  b.add(1, K::ThreadStart, 0, 0);
  b.write(1, kVar, 4, 5);
  b.add(1, K::ThreadEnd);
  b.add(0, K::Join, 0, 1);
  b.read(0, kVar, 4, 5);
}

void two_blocks_of_a_mutex(TraceBuilder& b) {
  b.add(0, K::Acquire, kMutex);
  b.add(0, K::Release, kMutex);
  b.add(1, K::Acquire, kMutex);
  b.add(1, K::Release, kMutex);
}

void signalled_wait(TraceBuilder& b) {
  b.add(0, K::Acquire, kMutex);
  b.add(0, K::Wait, kCond, kMutex);
  b.add(1, K::Acquire, kMutex);
  b.add(1, K::Signal, kCond);
  b.add(1, K::Release, kMutex);
  b.add(0, K::Wake, kCond, kMutex);
  b.add(0, K::Release, kMutex);
}

void barrier_of_two(TraceBuilder& b) {
  b.add(0, K::BarrierInit, kObject, 2);
  b.add(0, K::BarrierArrive, kObject);
  b.add(1, K::BarrierArrive, kObject);
  b.add(0, K::BarrierLeave, kObject);
  b.add(1, K::BarrierLeave, kObject);
}

void once_and_a_waiter(TraceBuilder& b) {
  b.add(0, K::OnceBegin, kObject);
  b.add(0, K::OnceEnd, kObject);
  b.add(1, K::OnceWait, kObject);
}

void read_write_lock(TraceBuilder& b) {
  b.add(0, K::AcquireShared, kMutex, kLockReadWrite);
  b.add(1, K::AcquireShared, kMutex, kLockReadWrite);
  b.add(0, K::ReleaseShared, kMutex, kLockReadWrite);
  b.add(1, K::ReleaseShared, kMutex, kLockReadWrite);
  b.add(0, K::Acquire, kMutex, kLockReadWrite);
  b.add(0, K::Release, kMutex, kLockReadWrite);
}

const Case kCases[] = {
    {"UnknownKind", Rule::WellFormed, [](TraceBuilder& b) { b.write(0, kVar, 4, 1); },
     [](Trace& t) { t.events[0].kind = static_cast<K>(200); }},
    {"UnknownThread", Rule::WellFormed, [](TraceBuilder& b) { b.write(0, kVar, 4, 1); },
     [](Trace& t) { t.events[0].thread = 77; }},
    {"UnknownSite", Rule::WellFormed, [](TraceBuilder& b) { b.write(0, kVar, 4, 1); },
     [](Trace& t) { t.events[0].site = 9; }},
    {"UnknownOrder", Rule::WellFormed, [](TraceBuilder& b) { b.add(0, K::Fence).order = MemoryOrder::SeqCst; },
     [](Trace& t) { t.events[0].order = static_cast<MemoryOrder>(9); }},
    {"AtomicWithoutOrder", Rule::WellFormed, [](TraceBuilder& b) { b.access(0, K::AtomicWrite, kVar, 4, 1); },
     [](Trace& t) { t.events[0].order = MemoryOrder::Plain; }},
    {"PlainWithOrder", Rule::WellFormed, [](TraceBuilder& b) { b.write(0, kVar, 4, 1); },
     [](Trace& t) { t.events[0].order = MemoryOrder::Relaxed; }},
    {"NoBytes", Rule::WellFormed, [](TraceBuilder& b) { b.write(0, kVar, 4, 1); },
     [](Trace& t) { t.events[0].size = 0; }},
    {"BeyondMemory", Rule::WellFormed, [](TraceBuilder& b) { b.write(0, kVar, 4, 1); },
     [](Trace& t) { t.events[0].address = ~std::uint64_t{0}; }},
    {"PayloadOutside", Rule::WellFormed,
     [](TraceBuilder& b) { b.range(0, K::Write, kVar, std::vector<std::uint8_t>(20, 7)); },
     [](Trace& t) { t.bytes.pop_back(); }},
    {"RangeWithoutForm", Rule::WellFormed,
     [](TraceBuilder& b) { b.range(0, K::Write, kVar, std::vector<std::uint8_t>(20, 7)); },
     [](Trace& t) { t.events[0].flags = 0; }},
    {"FailedAlloc", Rule::WellFormed, [](TraceBuilder& b) { b.add(0, K::Alloc, kVar, 4); },
     [](Trace& t) { t.events[0].flags = kFailed; }},

    {"ReadOfAnotherValue", Rule::ReadValue,
     [](TraceBuilder& b) { b.write(0, kVar, 4, 0x01020304), b.read(1, kVar + 1, 2, 0x0203); },
     [](Trace& t) { t.events[1].value = 0x0303; }},
    {"ReadBeforeWrite", Rule::ReadValue,
     [](TraceBuilder& b) { b.write(0, kVar, 4, 1), b.write(0, kVar, 4, 2), b.read(1, kVar, 4, 2); },
     [](Trace& t) { swap_events(t, 1, 2); }},
    {"RmwSawAnotherValue", Rule::ReadValue,
     [](TraceBuilder& b) { b.access(0, K::AtomicWrite, kVar, 8, 5), b.rmw(1, kVar, 8, 5, 6); },
     [](Trace& t) { t.events[1].extra = 6; }},
    {"AtomicReadOfOldValue", Rule::ReadValue,
     [](TraceBuilder& b) { b.rmw(1, kVar, 8, 5, 6), b.access(0, K::AtomicRead, kVar, 8, 6); },
     [](Trace& t) { t.events[1].value = 5; }},
    {"RangeByte", Rule::ReadValue,
     [](TraceBuilder& b) {
       b.range(0, K::Write, kVar + 4090, std::vector<std::uint8_t>(20, 7)); // crosses a page
       b.range(1, K::Read, kVar + 4090, std::vector<std::uint8_t>(20, 7));
     },
     [](Trace& t) { t.bytes[39] = 8; }},
    {"FillRead", Rule::ReadValue,
     [](TraceBuilder& b) {
       b.access(0, K::Write, kVar, 1 << 20, 9, kFill);
       b.access(1, K::Read, kVar + 5, 1 << 18, 9, kFill);
     },
     [](Trace& t) { t.events[1].value = 8; }},
    {"FillThenOneByte", Rule::ReadValue,
     [](TraceBuilder& b) {
       b.access(0, K::Write, kVar, 1 << 20, 9, kFill);
       b.write(0, kVar + 70000, 1, 9);
       b.access(1, K::Read, kVar, 1 << 20, 9, kFill);
     },
     [](Trace& t) { t.events[1].value = 10; }},
    {"SixteenByteRmw", Rule::ReadValue,
     [](TraceBuilder& b) {
       std::vector<std::uint8_t> bytes(32, 1);
       bytes[31] = 2;
       b.range(0, K::AtomicRmw, kVar, bytes).size = 16;
       b.read(1, kVar + 15, 1, 2);
     },
     [](Trace& t) { t.events[1].value = 1; }},
    {"ZeroedBlock", Rule::ReadValue,
     [](TraceBuilder& b) { b.add(0, K::Alloc, kVar, 64, kFill), b.read(0, kVar + 60, 4, 0); },
     [](Trace& t) { t.events[1].value = 1; }},
    {"ExternalWriteDropped", Rule::ReadValue,
     [](TraceBuilder& b) {
       b.write(0, kVar, 4, 1);
       b.access(0, K::ExternalWrite, kVar, 4, 2);
       b.read(0, kVar, 4, 2);
     },
     [](Trace& t) { drop_event(t, 1); }},

    {"MergedAlone", Rule::MergedWrite,
     [](TraceBuilder& b) { b.write(0, kVar, 8, 1), b.access(0, K::Write, kVar + 4, 4, 2, kMerged); },
     [](Trace& t) { drop_event(t, 0); }},
    {"MergedAcrossSegments", Rule::MergedWrite,
     [](TraceBuilder& b) {
       b.write(0, kVar, 4, 1);
       b.access(0, K::Write, kVar, 4, 2, kMerged);
       b.add(0, K::Acquire, kMutex);
     },
     [](Trace& t) { swap_events(t, 1, 2); }},
    {"MergedOfAnotherThread", Rule::MergedWrite,
     [](TraceBuilder& b) { b.write(0, kVar, 4, 1), b.access(0, K::Write, kVar, 4, 2, kMerged); },
     [](Trace& t) { t.events[0].thread = 1; }},

    {"AcquiresSwapped", Rule::LockExclusion, two_blocks_of_a_mutex, [](Trace& t) { swap_events(t, 1, 2); }},
    {"ReleaseDropped", Rule::LockExclusion, two_blocks_of_a_mutex, [](Trace& t) { drop_event(t, 1); }},
    {"AcquireDropped", Rule::ReleaseNotHeld, two_blocks_of_a_mutex, [](Trace& t) { drop_event(t, 0); }},
    {"ReleaseByAnother", Rule::ReleaseNotHeld, two_blocks_of_a_mutex, [](Trace& t) { t.events[1].thread = 1; }},
    {"RecursiveAsNormal", Rule::LockExclusion,
     [](TraceBuilder& b) {
       b.add(0, K::Acquire, kMutex, kLockRecursive);
       b.add(0, K::Acquire, kMutex, kLockRecursive);
       b.add(0, K::Release, kMutex, kLockRecursive);
       b.add(0, K::Release, kMutex, kLockRecursive);
     },
     [](Trace& t) { t.events[1].value = kLockNormal; }},
    {"RecursiveLeftOneLevel", Rule::LockExclusion,
     [](TraceBuilder& b) {
       b.add(0, K::Acquire, kMutex, kLockRecursive);
       b.add(0, K::Acquire, kMutex, kLockRecursive);
       b.add(0, K::Release, kMutex, kLockRecursive);
       b.add(0, K::Release, kMutex, kLockRecursive);
       b.add(1, K::Acquire, kMutex, kLockRecursive);
     },
     [](Trace& t) { drop_event(t, 3); }},
    {"FailedAcquireTaken", Rule::LockExclusion,
     [](TraceBuilder& b) {
       b.add(0, K::Acquire, kMutex);
       b.add(1, K::Acquire, kMutex, kLockTry, kFailed);
       b.add(0, K::Release, kMutex);
     },
     [](Trace& t) { t.events[1].flags = 0; }},
    {"WriterAmongReaders", Rule::LockExclusion, read_write_lock, [](Trace& t) { swap_events(t, 3, 4); }},
    {"ReaderUnderWriter", Rule::LockExclusion, read_write_lock, [](Trace& t) { std::swap(t.events[0], t.events[4]); }},
    {"SharedReleaseNotHeld", Rule::ReleaseNotHeld, read_write_lock, [](Trace& t) { drop_event(t, 1); }},
    {"RobustOwnerAlive", Rule::LockExclusion,
     [](TraceBuilder& b) {
       b.add(1, K::Acquire, kMutex, kLockRobust);
       b.add(1, K::ThreadEnd);
       b.add(0, K::Acquire, kMutex, kLockRobust | kLockOwnerDied);
     },
     [](Trace& t) { drop_event(t, 1); }},
    {"StackMutexNotRenewed", Rule::LockExclusion,
     [](TraceBuilder& b) {
       b.add(0, K::Acquire, kMutex);
       b.access(0, K::Write, kMutex, 40, 0, kFill);
       b.add(0, K::Acquire, kMutex);
     },
     [](Trace& t) { drop_event(t, 1); }},
    {"HeapMutexNotRenewed", Rule::LockExclusion,
     [](TraceBuilder& b) {
       b.add(0, K::Acquire, kMutex);
       b.add(0, K::Free, kMutex - 16, 64);
       b.add(0, K::Alloc, kMutex - 32, 128);
       b.add(1, K::Acquire, kMutex);
     },
     [](Trace& t) { t.events[1].value = t.events[2].value = 16; }},

    {"WaitWithoutMutex", Rule::WaitWithoutMutex, signalled_wait, [](Trace& t) { drop_event(t, 0); }},
    {"WakeWhileHeld", Rule::LockExclusion, signalled_wait, [](Trace& t) { swap_events(t, 4, 5); }},
    {"WakeBeforeSignal", Rule::WakeWithoutSignal, signalled_wait,
     [](Trace& t) { // the waiter's wake and release come before the signaller's block
       std::rotate(t.events.begin() + 2, t.events.begin() + 5, t.events.end());
     }},
    {"SignalDropped", Rule::WakeWithoutSignal, signalled_wait, [](Trace& t) { drop_event(t, 3); }},
    {"SignalBeforeWait", Rule::WakeWithoutSignal, signalled_wait,
     [](Trace& t) { std::rotate(t.events.begin(), t.events.begin() + 3, t.events.begin() + 4); }},
    {"TwoWakesOneSignal", Rule::WakeWithoutSignal,
     [](TraceBuilder& b) {
       for (std::uint32_t thread : {0u, 1u}) b.add(thread, K::Acquire, kMutex), b.add(thread, K::Wait, kCond, kMutex);
       b.add(2, K::Broadcast, kCond);
       for (std::uint32_t thread : {0u, 1u}) b.add(thread, K::Wake, kCond, kMutex), b.add(thread, K::Release, kMutex);
     },
     [](Trace& t) { t.events[4].kind = K::Signal; }},
    {"TimeoutThatDidNot", Rule::WakeWithoutSignal,
     [](TraceBuilder& b) {
       b.add(0, K::Acquire, kMutex);
       b.add(0, K::Wait, kCond, kMutex);
       b.add(0, K::Wake, kCond, kMutex, kFailed);
     },
     [](Trace& t) { t.events[2].flags = 0; }},
    {"WakeWithoutWait", Rule::WakeWithoutWait, signalled_wait, [](Trace& t) { drop_event(t, 1); }},

    {"BarrierLeftEarly", Rule::BarrierEarly, barrier_of_two, [](Trace& t) { swap_events(t, 2, 3); }},
    {"BarrierGroupTooSmall", Rule::BarrierEarly, barrier_of_two, [](Trace& t) { t.events[0].value = 3; }},
    {"BarrierSecondGroupEarly", Rule::BarrierEarly,
     [](TraceBuilder& b) {
       barrier_of_two(b);
       b.add(0, K::BarrierArrive, kObject);
       b.add(1, K::BarrierArrive, kObject);
       b.add(0, K::BarrierLeave, kObject);
     },
     [](Trace& t) { swap_events(t, 6, 7); }},
    {"BarrierNotArrived", Rule::BarrierNoArrive,
     [](TraceBuilder& b) { b.add(0, K::BarrierArrive, kObject), b.add(0, K::BarrierLeave, kObject); },
     [](Trace& t) { swap_events(t, 0, 1); }},

    {"SemaphoreExceeded", Rule::SemaphoreCount,
     [](TraceBuilder& b) {
       b.add(0, K::SemInit, kObject, 1);
       b.add(0, K::SemWait, kObject);
       b.add(1, K::SemWait, kObject, 0, kFailed);
       b.add(0, K::SemPost, kObject);
       b.add(1, K::SemWait, kObject);
     },
     [](Trace& t) { swap_events(t, 3, 4); }},

    {"OnceAgain", Rule::OnceTwice, once_and_a_waiter, [](Trace& t) { t.events[2].kind = K::OnceBegin; }},
    {"OnceInTwoThreads", Rule::OnceTwice,
     [](TraceBuilder& b) {
       b.add(0, K::OnceBegin, kObject);
       b.add(0, K::OnceEnd, kObject, 0, kFailed);
       b.add(1, K::OnceBegin, kObject);
       b.add(1, K::OnceEnd, kObject);
     },
     [](Trace& t) { swap_events(t, 1, 2); }},
    {"OnceEndByAnother", Rule::OnceEndNoBegin, once_and_a_waiter, [](Trace& t) { t.events[1].thread = 1; }},
    {"OnceFoundEarly", Rule::OnceWaitEarly, once_and_a_waiter, [](Trace& t) { swap_events(t, 1, 2); }},

    {"StartBeforeFork", Rule::StartBeforeFork, forked_child, [](Trace& t) { swap_events(t, 0, 1); }},
    {"ForkDropped", Rule::StartBeforeFork, forked_child, [](Trace& t) { drop_event(t, 0); }},
    {"EventBeforeStart", Rule::EventBeforeStart, forked_child, [](Trace& t) { swap_events(t, 1, 2); }},
    {"EventBeforeForkWithoutStart", Rule::EventBeforeStart,
     [](TraceBuilder& b) { b.add(0, K::Fork, 0, 1), b.write(1, kVar, 4, 1); }, [](Trace& t) { swap_events(t, 0, 1); }},
    {"EventAfterEnd", Rule::EventAfterEnd, forked_child, [](Trace& t) { swap_events(t, 2, 3); }},
    {"EventAfterJoinWithoutEnd", Rule::EventAfterEnd,
     [](TraceBuilder& b) { b.add(0, K::Fork, 0, 1), b.write(1, kVar, 4, 1), b.add(0, K::Join, 0, 1); },
     [](Trace& t) { swap_events(t, 1, 2); }},
    {"JoinBeforeEnd", Rule::JoinBeforeEnd, forked_child, [](Trace& t) { swap_events(t, 3, 4); }},
    {"JoinWithoutEnd", Rule::JoinBeforeEnd, forked_child, [](Trace& t) { drop_event(t, 3); }},
    {"JoinedTwice", Rule::JoinedTwice, [](TraceBuilder& b) { forked_child(b), b.add(2, K::Join, 0, 1, kFailed); },
     [](Trace& t) { t.events[6].flags = 0; }},
    {"ForkedTwice", Rule::ForkedTwice, [](TraceBuilder& b) { forked_child(b), b.add(0, K::Fork, 0, 2); },
     [](Trace& t) { t.events[6].value = 1; }},

    {"BlockOverlapsBefore", Rule::AllocOverlap,
     [](TraceBuilder& b) { b.add(0, K::Alloc, kVar, 32), b.add(1, K::Alloc, kVar + 32, 32); },
     [](Trace& t) { t.events[0].value = 33; }},
    {"BlockOverlapsAfter", Rule::AllocOverlap,
     [](TraceBuilder& b) { b.add(0, K::Alloc, kVar + 32, 32), b.add(1, K::Alloc, kVar, 32); },
     [](Trace& t) { t.events[1].value = 33; }},
    {"FreeDropped", Rule::AllocOverlap,
     [](TraceBuilder& b) { b.add(0, K::Alloc, kVar, 32), b.add(0, K::Free, kVar, 32), b.add(1, K::Alloc, kVar, 8); },
     [](Trace& t) { drop_event(t, 1); }},

    {"AtomicEndAlone", Rule::AtomicNesting,
     [](TraceBuilder& b) { b.add(0, K::AtomicBegin, 1), b.add(0, K::AtomicEnd, 1); },
     [](Trace& t) { drop_event(t, 0); }},
    {"AtomicBlocksCross", Rule::AtomicNesting,
     [](TraceBuilder& b) {
       b.add(0, K::AtomicBegin, 1), b.add(0, K::AtomicBegin, 2), b.add(0, K::AtomicEnd, 2), b.add(0, K::AtomicEnd, 1);
     },
     [](Trace& t) { swap_events(t, 2, 3); }},
    {"HandlerLeftElsewhere", Rule::SignalNesting,
     [](TraceBuilder& b) { b.add(0, K::SignalEnter, 0x500, 10), b.add(0, K::SignalExit, 0x500, 10); },
     [](Trace& t) { t.events[1].thread = 1; }},
    {"ReturnTooDeep", Rule::CallDepth,
     [](TraceBuilder& b) { b.add(0, K::Enter), b.add(0, K::Enter), b.add(0, K::Exit, 0, 1), b.add(0, K::Exit, 0, 0); },
     [](Trace& t) { t.events[2].value = 3; }},
};

class EachRule : public ::testing::TestWithParam<Case> {};

TEST_P(EachRule, AcceptsTheLegalTrace) {
  TraceBuilder builder(3);
  GetParam().legal(builder);
  const VerifyReport report = verify(builder.trace);
  EXPECT_TRUE(report.legal()) << all_problems(report);
  EXPECT_EQ(report.events, builder.trace.events.size());
}

TEST_P(EachRule, RejectsTheMutant) {
  TraceBuilder builder(3);
  GetParam().legal(builder);
  GetParam().mutate(builder.trace);
  const VerifyReport report = verify(builder.trace);
  EXPECT_FALSE(report.legal());
  EXPECT_GT(report.broken[static_cast<std::size_t>(GetParam().rule)], 0u) << all_problems(report);
  ASSERT_FALSE(report.problems.empty());
  for (const Problem& p : report.problems) {
    EXPECT_LT(p.event, builder.trace.events.size());
    EXPECT_EQ(p.sentence.back(), '.');
  }
}

INSTANTIATE_TEST_SUITE_P(Verify, EachRule, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

// Pairs that differ in what the trace says of itself.
TEST(VerifyRules, AForkedChildMayGoOnWithWhatItsParentDid) {
  TraceBuilder b(1);
  b.add(0, K::Enter);
  b.add(0, K::ThreadStart);
  b.add(0, K::ProcessFork, 0, 77);
  b.add(0, K::Release, kMutex);
  b.add(0, K::OnceWait, kObject);
  EXPECT_FALSE(verify(b.trace).legal());
  b.trace.process.parent_pid = 77;
  EXPECT_TRUE(verify(b.trace).legal()) << all_problems(verify(b.trace));
}

TEST(VerifyRules, SpuriousWakesAreAllowedAsFarAsTheTraceOwnsUpToThem) {
  TraceBuilder b(1);
  for (int i = 0; i < 2; ++i) {
    b.add(0, K::Acquire, kMutex);
    b.add(0, K::Wait, kCond, kMutex);
    b.add(0, K::Wake, kCond, kMutex);
    b.add(0, K::Release, kMutex);
  }
  auto& owned_up = b.trace.defects[static_cast<unsigned>(Defect::SpuriousWakes)];
  owned_up = 1;
  EXPECT_EQ(verify(b.trace).broken[static_cast<std::size_t>(Rule::WakeWithoutSignal)], 1u);
  owned_up = 2;
  EXPECT_TRUE(verify(b.trace).legal());
  EXPECT_EQ(verify(b.trace).spurious_wakes, 2u);
}

TEST(VerifyRules, LateEventsAreAllowedAsFarAsTheTraceOwnsUpToThem) {
  TraceBuilder b(1);
  b.add(0, K::ThreadEnd);
  b.write(0, kVar, 4, 1);
  EXPECT_FALSE(verify(b.trace).legal());
  b.trace.defects[static_cast<unsigned>(Defect::LateEvents)] = 1;
  EXPECT_TRUE(verify(b.trace).legal());
}

TEST(VerifyRules, WithMissingEventsValuesAreStillJudged) {
  TraceBuilder b(1);
  b.add(0, K::Release, kMutex);
  b.trace.defects[static_cast<unsigned>(Defect::MissingEvents)] = 1;
  VerifyReport report = verify(b.trace);
  EXPECT_TRUE(report.legal() && report.degraded && !report.remarks.empty());
  EXPECT_EQ(report.unjudged[static_cast<std::size_t>(Rule::ReleaseNotHeld)], 1u);
  b.write(0, kVar, 4, 1);
  b.read(0, kVar, 4, 2);
  EXPECT_FALSE(verify(b.trace).legal());
}

TEST(VerifyRules, WithoutValuesReadsAreNotJudged) {
  TraceBuilder b(1);
  b.write(0, kVar, 4, 1);
  b.read(0, kVar, 4, 2);
  EXPECT_FALSE(verify(b.trace).legal());
  b.trace.flags = kNoValues;
  EXPECT_TRUE(verify(b.trace).legal());
}

TEST(VerifyRules, OnlyTheFirstProblemsAreDescribedAndAllAreCounted) {
  TraceBuilder b(1);
  for (int i = 0; i < 50; ++i) b.add(0, K::Release, kMutex);
  const VerifyReport report = verify(b.trace, 7);
  EXPECT_EQ(report.problems.size(), 7u);
  EXPECT_EQ(report.broken_count(), 50u);
}

TEST(VerifyRules, EveryRuleHasAMutant) {
  std::set<Rule> covered;
  for (const Case& c : kCases) covered.insert(c.rule);
  for (const RuleRow& row : rule_rows()) EXPECT_TRUE(covered.count(row.rule)) << row.name;
}

} // namespace
} // namespace sooth::trace
