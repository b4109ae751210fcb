// The sieve of memory that cannot constrain another run: whatever is found in a whole trace is found in what the sieve keeps
// of it, and nothing else. The path is that of a user's trace: written to a file's bytes, surveyed, read, prepared,
// searched, every witness checked.
//
// For the three rules of survey/sharing.h, for locks, lifetimes and blocks there are mutants: sieves that are told something
// that is not so. The comparison has to notice every one of them, or it proves nothing about the rule. What else is kept
// (ranges, blocks that end early, memory that others change) has tests of its own below; atomics, accesses across granules
// and the pages of frames have none.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "full_cases.h"
#include "lives.h"
#include "survey/sharing.h"
#include "trace/reader.h"
#include "trace/writer.h"
#include "traces.h"
#include "unit/verify_builder.h"

namespace sooth::cross {
namespace {

TEST(Sieve, FindsWhatIsInTheWholeTraceAndNothingElse) {
  std::uint64_t sieved = 0, findings = 0;
  const char* mode = std::getenv("SOOTH_CROSS");
  const std::uint64_t seeds = mode != nullptr && std::string_view(mode) == "long" ? 200'000 : 3000;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Trace trace = Life(seed).make(10 + seed % 16);
    const std::vector<std::uint8_t> file = write_trace_bytes(trace);
    survey::Sharing sharing;
    const Found whole = found_in(file, nullptr), reduced = found_in(file, &sharing);
    ASSERT_TRUE(whole.legal && reduced.legal) << "seed " << seed << "\n" << text(trace);
    ASSERT_EQ(whole.findings, reduced.findings) << "seed " << seed << "\n" << text(trace);
    ASSERT_EQ(reduced.objections, 0u) << "seed " << seed << "\n" << text(trace);
    sieved += reduced.sieved;
    findings += whole.findings.size();
  }
  EXPECT_GT(sieved, 3000u);   // a sieve that keeps everything is right as well
  EXPECT_GT(findings, 3000u); // and so is one that is never asked
}

// Three threads that read and write, under a lock or not: variables that they share, and one of its own for each.
Trace flowing_trace(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  TraceBuilder builder(3);
  std::map<std::uint64_t, std::uint64_t> memory;
  std::uint32_t owner = 3; // of the lock; 3: nobody
  const auto variable = [&](std::uint32_t t) {
    const std::uint64_t number = random() % 5;
    return number < 3 ? 0x10000 + 8 * number : 0x20000 + 8 * std::uint64_t{t};
  };
  while (builder.trace.events.size() < 14) {
    const auto t = static_cast<std::uint32_t>(random() % 3);
    if (random() % 4 == 0 && (owner == t || owner == 3)) {
      builder.add(t, owner == t ? EventKind::Release : EventKind::Acquire, 0x30000);
      owner = owner == t ? 3 : t;
      continue;
    }
    const std::uint64_t from = variable(t), to = random() % 2 ? from : variable(t);
    if (random() % 3 != 0) builder.read(t, from, 4, memory[from]);
    if (random() % 3 != 0) builder.write(t, to, 4, memory[to] = random() % 3);
  }
  for (std::uint32_t i = 0; i < builder.trace.events.size(); ++i)
    builder.trace.events[i].site = builder.site("flows.c", i + 1, "f", "v");
  return builder.trace;
}

// Values may flow into memory that is left out, and decide something when they are read there.
TEST(Sieve, FindsNothingMoreByClassesOfSites) {
  std::uint64_t findings = 0, by_classes = 0, sieved = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    Trace trace = flowing_trace(seed);
    const std::size_t before = found_in(write_trace_bytes(trace), nullptr).findings.size();
    give_classes(trace, seed);
    const std::vector<std::uint8_t> file = write_trace_bytes(trace);
    survey::Sharing sharing;
    const Found whole = found_in(file, nullptr), reduced = found_in(file, &sharing);
    ASSERT_TRUE(whole.legal && reduced.legal) << "seed " << seed << "\n" << text(trace);
    ASSERT_TRUE(std::ranges::includes(whole.findings, reduced.findings)) << "seed " << seed << "\n" << text(trace);
    ASSERT_EQ(whole.objections + reduced.objections, 0u) << "seed " << seed << "\n" << text(trace);
    findings += before;
    by_classes += reduced.findings.size();
    sieved += reduced.sieved;
  }
  EXPECT_GT(by_classes, findings + 50);
  EXPECT_GT(sieved, 3000u);
}

// --- mutants ---------------------------------------------------------------------------------------------------

// Sees each event as `lie` has it, or not at all.
class Mutant : public survey::Sharing {
public:
  explicit Mutant(std::function<bool(Event&)> lie) : lie_(std::move(lie)) {}
  void survey(const Event& event) override {
    Event seen = event;
    if (lie_(seen)) Sharing::survey(seen);
  }

private:
  std::function<bool(Event&)> lie_;
};

// Whether some trace gives another answer, or is none any more, with such a sieve.
bool is_noticed(const std::function<bool(Event&)>& lie) {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    const std::vector<std::uint8_t> file = write_trace_bytes(Life(seed).make(10 + seed % 16));
    Mutant mutant(lie);
    const Found whole = found_in(file, nullptr), reduced = found_in(file, &mutant);
    if (!reduced.legal || whole.findings != reduced.findings || reduced.objections != 0) return true;
  }
  return false;
}

TEST(SieveMutants, MemoryOfTwoThreadsTakenForOnes) {
  EXPECT_TRUE(is_noticed([](Event& e) {
    if (e.thread == 2 && e.size != 0) e.thread = 1;
    return true;
  }));
}

TEST(SieveMutants, WrittenMemoryTakenForReadOnly) {
  EXPECT_TRUE(is_noticed([](Event& e) {
    if (e.kind == EventKind::Write) e.kind = EventKind::Read;
    return true;
  }));
}

// Everything that the main thread did is taken for what came before a thread that another one created.
TEST(SieveMutants, ThreadsTakenForCreatedBySomebodyElse) {
  EXPECT_TRUE(is_noticed([](Event& e) {
    if (e.kind == EventKind::Fork) e.thread = 0;
    return true;
  }));
}

// `y = 1; lock; x = 1; unlock || lock; r = x; unlock; y = 2`: the value of x keeps the sections apart.
TEST(SieveMutants, MemoryUnderOneLockTakenForHarmless) {
  TraceBuilder builder(3);
  builder.add(0, EventKind::Fork, 0, 1);
  builder.add(1, EventKind::ThreadStart, 0, 0);
  builder.add(0, EventKind::Fork, 0, 2);
  builder.add(2, EventKind::ThreadStart, 0, 0);
  builder.write(1, 0x10008, 4, 1);
  builder.add(1, EventKind::Acquire, 0x30000);
  builder.write(1, 0x10000, 4, 1);
  builder.add(1, EventKind::Release, 0x30000);
  builder.add(2, EventKind::Acquire, 0x30000);
  builder.read(2, 0x10000, 4, 1);
  builder.add(2, EventKind::Release, 0x30000);
  builder.write(2, 0x10008, 4, 2);
  for (std::uint32_t i = 0; i < builder.trace.events.size(); ++i)
    builder.trace.events[i].site = builder.site("x.c", i + 1, "f", "v");
  const std::vector<std::uint8_t> file = write_trace_bytes(builder.trace);
  survey::Sharing sharing;
  EXPECT_TRUE(found_in(file, &sharing).findings.empty());
  Mutant mutant([](Event& e) { return e.address != 0x10000 || e.thread != 2; });
  EXPECT_FALSE(found_in(file, &mutant).findings.empty());
}

TEST(SieveMutants, FreedMemoryThatNobodyWasToldOf) {
  EXPECT_TRUE(is_noticed([](Event& e) { return e.kind != EventKind::Free; }));
}

// Who uses an object comes after its allocation, and so after all that the allocating thread did before.
TEST(SieveMutants, AllocationsThatNobodyWasToldOf) {
  EXPECT_TRUE(is_noticed([](Event& e) { return e.kind != EventKind::Alloc; }));
}

TEST(SieveMutants, BlocksThatNobodyWasToldOf) {
  EXPECT_TRUE(is_noticed([](Event& e) { return e.kind != EventKind::AtomicBegin; }));
}

// --- single rules ----------------------------------------------------------------------------------------------

class Small {
public:
  explicit Small(std::uint32_t threads) : builder(threads) {}
  TraceBuilder builder;

  Trace read(bool sieve) {
    for (std::uint32_t i = 0; i < builder.trace.events.size(); ++i)
      if (builder.trace.events[i].site == 0) builder.trace.events[i].site = builder.site("s.c", i + 1, "f", "v");
    survey::Sharing sharing;
    trace::ReadOptions options;
    if (sieve) options.sieve = &sharing;
    auto trace = trace::read_trace_bytes(write_trace_bytes(builder.trace), options);
    EXPECT_TRUE(trace.ok());
    return *trace;
  }
  void fork(std::uint32_t parent, std::uint32_t child) {
    builder.add(parent, EventKind::Fork, 0, child);
    builder.add(child, EventKind::ThreadStart, 0, parent);
  }
  void join(std::uint32_t parent, std::uint32_t child) {
    builder.add(child, EventKind::ThreadEnd);
    builder.add(parent, EventKind::Join, 0, child);
  }
};

std::vector<std::uint64_t> accessed(const Trace& trace) {
  std::vector<std::uint64_t> out;
  for (const Event& e : trace.events)
    if (e.size != 0) out.push_back(e.address);
  return out;
}

TEST(Sieve, HandsMemoryOverByForkAndJoin) {
  Small s(2);
  s.builder.write(0, 0x10000, 8, 1);
  s.fork(0, 1);
  s.builder.write(1, 0x10000, 8, 2);
  s.join(0, 1);
  s.builder.write(0, 0x10000, 8, 3);
  const Trace trace = s.read(true);
  EXPECT_TRUE(accessed(trace).empty());
  EXPECT_EQ(trace.events_sieved, 3u);
}

TEST(Sieve, KeepsWhatIsUsedWhileTheChildRuns) {
  Small s(2);
  s.fork(0, 1);
  s.builder.write(0, 0x10000, 8, 1);
  s.builder.write(1, 0x10000, 8, 2);
  s.join(0, 1);
  EXPECT_EQ(accessed(s.read(true)).size(), 2u);
}

// A store of a value that flows, omitted: `look` may read it again.
bool is_looked_at(std::uint64_t written, const std::function<void(Small&, std::uint32_t)>& look) {
  Small s(2);
  std::vector<std::uint32_t> sites;
  for (std::uint32_t i = 0; i < 4; ++i) sites.push_back(s.builder.site("flows.c", i + 1, "f", "v"));
  trace::ValueFlows& flows = s.builder.trace.static_facts.flows;
  flows.modules = flows.modules_main = 1;
  flows.reads = {{sites[0], 8, false, false, {}, {{sites[1]}, {}, false, false}},
                 {sites[2], 8, false, false, {}, {{}, {}, false, true}}};
  s.fork(0, 1);
  s.builder.write(1, written, 8, 1).site = sites[1];
  s.builder.add(1, EventKind::Acquire, 0x900);
  s.builder.add(1, EventKind::Release, 0x900);
  look(s, sites[0]);
  const Trace trace = s.read(true);
  EXPECT_TRUE(accessed(trace).empty());
  return sites[1] < trace.sieved_stores.size() && trace.sieved_stores[sites[1]];
}

TEST(Sieve, KnowsWhichOmittedStoresAreLookedAt) {
  constexpr std::uint64_t kOwn = 0x10000;
  using Look = std::function<void(Small&, std::uint32_t)>;
  const auto by = [](std::uint32_t after, std::uint64_t address, unsigned size) -> Look {
    return [=](Small& s, std::uint32_t first) { s.builder.read(1, address, size, 1).site = first + after; };
  };
  EXPECT_FALSE(is_looked_at(kOwn, [](Small&, std::uint32_t) {}));
  EXPECT_FALSE(is_looked_at(kOwn, by(2, kOwn, 8)));     // its class names no store
  EXPECT_FALSE(is_looked_at(kOwn, by(3, kOwn + 8, 8))); // other bytes
  EXPECT_TRUE(is_looked_at(kOwn, by(3, kOwn, 8)));      // no class
  EXPECT_TRUE(is_looked_at(kOwn, by(0, kOwn, 8)));      // it goes on
  EXPECT_TRUE(is_looked_at(kOwn, by(2, kOwn, 4)));      // not what the class is about
  const Look marked = [](Small& s, std::uint32_t first) {
    trace::Event& e = s.builder.read(1, kOwn, 8, 1);
    e.site = first + 2;
    e.marks |= trace::kOtherSites;
  };
  EXPECT_TRUE(is_looked_at(kOwn, marked));
  const Look overwritten = [](Small& s, std::uint32_t first) {
    s.builder.write(1, kOwn, 8, 7).site = first + 3;
    s.builder.read(1, kOwn, 8, 7).site = first + 3;
  };
  EXPECT_FALSE(is_looked_at(kOwn, overwritten));
  const Look in_part = [](Small& s, std::uint32_t first) {
    s.builder.write(1, kOwn, 2, 7).site = first + 3;
    s.builder.read(1, kOwn, 8, 7).site = first + 3;
  };
  EXPECT_TRUE(is_looked_at(kOwn, in_part));
  const Look by_the_parent = [](Small& s, std::uint32_t first) {
    s.join(0, 1);
    s.builder.read(0, kOwn, 8, 1).site = first + 3;
  };
  EXPECT_TRUE(is_looked_at(kOwn, by_the_parent));
}

TEST(Sieve, CutsARangeToThePartThatIsShared) {
  Small s(2);
  s.fork(0, 1);
  s.builder.range(0, EventKind::Write, 0x10000, std::vector<std::uint8_t>(32, 7));
  s.builder.write(1, 0x10008, 8, 2);
  s.builder.write(1, 0x10018, 4, 2);
  s.join(0, 1);
  const Trace trace = s.read(true);
  std::vector<Event> parts;
  for (const Event& e : trace.events)
    if (e.size != 0 && e.thread == 0) parts.push_back(e);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].address, 0x10008u);
  EXPECT_EQ(parts[0].size, 8u);
  EXPECT_EQ(parts[0].value, 0x0707070707070707u);
  EXPECT_TRUE(parts[0].has(trace::kGlued)); // in no run does anybody come between the two
  EXPECT_EQ(parts[1].address, 0x10018u);
  EXPECT_FALSE(parts[1].has(trace::kGlued));
}

// The granule after the last one does not exist, and its address is not 0.
TEST(Sieve, CutsARangeThatEndsWithTheAddressSpace) {
  Small s(2);
  s.fork(0, 1);
  const std::uint64_t end = ~std::uint64_t{0};
  s.builder.range(0, EventKind::Write, end - 40, std::vector<std::uint8_t>(40, 7));
  s.builder.range(1, EventKind::Read, end - 20, std::vector<std::uint8_t>(20, 7));
  s.join(0, 1);
  const Trace trace = s.read(true);
  std::vector<Event> kept;
  for (const Event& e : trace.events)
    if (e.size != 0) kept.push_back(e);
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].address, (end - 20) & ~std::uint64_t{7});
  EXPECT_EQ(kept[0].address + kept[0].size, end);
  EXPECT_EQ(kept[1].address, end - 20);
  EXPECT_EQ(kept[1].size, 20u);
}

// A range that is larger than what is marked granule by granule counts for those that another thread uses, in either order.
TEST(Sieve, KeepsWhatLargeRangesShare) {
  for (const bool large_first : {true, false}) {
    Small s(3);
    s.fork(0, 1);
    s.fork(0, 2);
    const std::uint32_t ranger = large_first ? 1 : 2, writer = large_first ? 2 : 1;
    Event& range = s.builder.access(ranger, EventKind::Write, 0x100000, 1 << 20, 0);
    range.flags |= trace::kOpaque;
    s.builder.write(writer, 0x100000 + 4096 * 7, 8, 1);
    s.builder.write(writer, 0x900000, 8, 1); // nobody else's
    EXPECT_EQ(accessed(s.read(true)), (std::vector<std::uint64_t>{0x100000, 0x100000 + 4096 * 7}));
  }
}

TEST(Sieve, LetsABlockEndWithTheLastEventThatIsKept) {
  Small s(2);
  s.fork(0, 1);
  s.builder.write(1, 0x10000, 8, 5);
  s.builder.read(0, 0x10000, 8, 5).flags |= trace::kGlued;
  s.builder.write(0, 0x20000, 8, 5);
  s.builder.add(0, EventKind::Acquire, 0x30000);
  s.builder.add(0, EventKind::Release, 0x30000);
  const Trace trace = s.read(true);
  for (const Event& e : trace.events) EXPECT_FALSE(e.kind == EventKind::Read && e.has(trace::kGlued));
  EXPECT_EQ(accessed(trace).size(), 2u);
}

// Looking along the block from each of its events would take a million looks.
TEST(Sieve, LooksAtEachEventOfABlockAFewTimes) {
  class Counting : public survey::Sharing {
  public:
    mutable std::size_t looks = 0;
    void kept_parts(const Event& access, std::vector<trace::KeptPart>& parts) const override {
      ++looks;
      Sharing::kept_parts(access, parts);
    }
  };
  constexpr std::uint64_t kBlock = 1000;
  for (const bool begins_shared : {false, true}) {
    Small s(2);
    s.fork(0, 1);
    s.builder.write(1, 0x10000, 8, 5);
    if (begins_shared) s.builder.read(0, 0x10000, 8, 5).flags |= trace::kGlued;
    for (std::uint64_t i = 0; i < kBlock; ++i) s.builder.write(0, 0x20000 + 8 * i, 8, 5).flags |= trace::kGlued;
    s.builder.write(0, 0x20000 + 8 * kBlock, 8, 5);
    Counting counting;
    trace::ReadOptions options;
    options.sieve = &counting;
    auto trace = trace::read_trace_bytes(write_trace_bytes(s.builder.trace), options);
    ASSERT_TRUE(trace.ok());
    EXPECT_EQ(accessed(*trace).size(), begins_shared ? 2u : 0u);
    EXPECT_LT(counting.looks, 5 * kBlock);
  }
}

// Rows of memory that threads walk over again and again are marked once; what begins or ends there
// is seen all the same.
TEST(Sieve, SeesWhatEndsBetweenTwoWalksOverTheSameRow) {
  for (const bool freed : {false, true}) {
    Small s(1);
    const std::vector<std::uint8_t> row(4096, 7);
    s.builder.add(0, EventKind::Alloc, 0x20000, 4096);
    s.builder.range(0, EventKind::Write, 0x20000, row);
    if (freed) s.builder.add(0, EventKind::Free, 0x20000, 4096);
    s.builder.range(0, EventKind::Write, 0x20000, row);
    EXPECT_EQ(accessed(s.read(true)).size(), freed ? 2u : 0u);
  }
}

TEST(Sieve, KeepsReadOnlyMemoryThatSomebodyElseChanged) {
  Small s(3);
  s.fork(0, 1);
  s.fork(0, 2);
  s.builder.read(1, 0x10000, 8, 1);
  s.builder.read(2, 0x10000, 8, 2); // no recorded event wrote it
  s.builder.read(1, 0x20000, 8, 1);
  s.builder.read(2, 0x20000, 8, 1);
  EXPECT_EQ(accessed(s.read(true)), (std::vector<std::uint64_t>{0x10000, 0x10000}));
}

TEST(Sieve, KeepsUsesOfWhatTheThreadItselfHasFreed) {
  Small s(1);
  s.builder.add(0, EventKind::Alloc, 0x20000, 16);
  s.builder.write(0, 0x20000, 8, 1);
  s.builder.add(0, EventKind::Free, 0x20000, 16);
  s.builder.write(0, 0x20000, 8, 2);
  EXPECT_EQ(accessed(s.read(true)).size(), 2u);
}

TEST(Sieve, LeavesOutCallsInWhichNothingIsKept) {
  Small s(2);
  s.fork(0, 1);
  s.builder.add(0, EventKind::Enter); // kept: a lock is taken in it
  s.builder.add(0, EventKind::Enter); // left out
  s.builder.write(0, 0x40000, 8, 1);
  s.builder.add(0, EventKind::Exit, 0, 1);
  s.builder.add(0, EventKind::Acquire, 0x30000);
  s.builder.add(0, EventKind::Release, 0x30000);
  s.builder.add(0, EventKind::Exit, 0, 0);
  const Trace trace = s.read(true);
  std::vector<EventKind> calls;
  for (const Event& e : trace.events)
    if (e.kind == EventKind::Enter || e.kind == EventKind::Exit) calls.push_back(e.kind);
  EXPECT_EQ(calls, (std::vector{EventKind::Enter, EventKind::Exit}));
}

} // namespace
} // namespace sooth::cross
