// Kinds of findings that the first pass rules out (survey/settled.h): no engine finds one of them
// in the whole trace.
//
// The random programs are tidy ones, with one sort of mistake each: most sections take the lock of
// their variable. For each rule there is a mutant, a survey that is told something that is not so;
// the comparison has to notice it.
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "lives.h"
#include "survey/sharing.h"
#include "trace/fact_numbers.h"
#include "trace/reader.h"
#include "trace/writer.h"
#include "traces.h"
#include "unit/verify_builder.h"

namespace sooth::cross {
namespace {

enum class Mess { None, Bare, SharedWriter, Nested, Freed, ReusedLock, Atomics, Waits, JoinInside, Stale, Count };

// The main thread creates two others; all of them go through sections of locks; then they are
// joined.
class Tidy {
public:
  explicit Tidy(std::uint64_t seed)
      : random_(seed), builder_(3), mess_(static_cast<Mess>(seed % static_cast<unsigned>(Mess::Count))) {}

  Trace make() {
    if (mess_ == Mess::ReusedLock) plan(0, EventKind::Alloc, kHeapLock, 64);
    if (mess_ == Mess::Freed || mess_ == Mess::Stale) plan(0, EventKind::Alloc, kObject, 16);
    plan(0, EventKind::Write, variable(0), 4); // before the others exist
    for (const std::uint32_t child : {1u, 2u}) plan(0, EventKind::Fork, 0, child);
    for (const std::uint32_t t : {1u, 2u}) plan(t, EventKind::ThreadStart, 0, 0);
    for (std::uint32_t t = 0; t < 3; ++t)
      for (std::uint32_t i = 0, n = 1 + pick(3); i < n; ++i) section(t);
    for (const std::uint32_t t : {1u, 2u}) plan(t, EventKind::ThreadEnd, 0, 0);
    finish_main();
    for (int tries = 0; tries < 400; ++tries) go_on(pick(3));
    Trace& trace = builder_.trace;
    for (std::uint32_t i = 0; i < trace.events.size(); ++i)
      trace.events[i].site = builder_.site("tidy.c", i + 1, "f", "v");
    trace.process.end = trace::EndKind::Exit;
    return trace;
  }

private:
  static constexpr std::uint64_t kLock = 0x30000, kHeapLock = 0x28000, kObject = 0x20000, kCondition = 0x38000;
  struct Step {
    EventKind kind;
    std::uint64_t address, value;
  };
  static std::uint64_t variable(std::uint32_t v) { return 0x10000 + 8 * v; }
  static std::uint64_t lock(std::uint32_t v) { return kLock + 64 * v; }
  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
  void plan(std::uint32_t t, EventKind kind, std::uint64_t address, std::uint64_t value = 0) {
    plans_[t].push_back({kind, address, value});
  }
  void touch(std::uint32_t t, std::uint64_t address, bool write) {
    plan(t, write ? EventKind::Write : EventKind::Read, address, 4);
  }

  void section(std::uint32_t t) {
    const std::uint32_t v = pick(2);
    const bool messy = pick(2) == 0;
    if (messy && mess_ == Mess::Bare) return touch(t, variable(v), pick(2) == 0);
    if (mess_ == Mess::ReusedLock && pick(2) == 0) return heap_section(t);
    if (mess_ == Mess::Atomics && pick(2) == 0) {
      plan(t, messy ? EventKind::AtomicWrite : EventKind::AtomicRead, variable(2), 4);
      if (pick(3) == 0) touch(t, variable(2), false);
      return;
    }
    const bool shared = pick(3) == 0;
    plan(t, shared ? EventKind::AcquireShared : EventKind::Acquire, lock(v),
         shared ? std::uint64_t{trace::kLockReadWrite} : 0);
    const bool write = shared ? messy && mess_ == Mess::SharedWriter : pick(2) == 0;
    if (mess_ == Mess::Waits && !shared && v == 0 && messy) {
      if (t == 1) {
        touch(t, variable(v), false);
        plan(t, EventKind::Wait, kCondition, lock(v));
        plan(t, EventKind::Wake, kCondition, lock(v));
      } else {
        plan(t, EventKind::Signal, kCondition);
      }
    }
    if (mess_ == Mess::Nested && messy && !shared) {
      plan(t, EventKind::Acquire, lock(1 - v));
      touch(t, variable(1 - v), true);
      plan(t, EventKind::Release, lock(1 - v));
    }
    if (mess_ == Mess::JoinInside && t == 0 && !shared && messy && !joined_) {
      plan(0, EventKind::Join, 0, 1);
      joined_ = true;
    }
    if (mess_ == Mess::Freed || mess_ == Mess::Stale) {
      touch(t, kObject, pick(2) == 0);
      if (t == 1 && messy && v == 0 && !freed_ && mess_ == Mess::Freed) {
        plan(t, EventKind::Free, kObject, 16);
        freed_ = true;
      }
    }
    touch(t, variable(v), write);
    plan(t, shared ? EventKind::ReleaseShared : EventKind::Release, lock(v),
         shared ? std::uint64_t{trace::kLockReadWrite} : 0);
  }

  // A lock in memory that somebody frees and somebody else gets again: two locks.
  void heap_section(std::uint32_t t) {
    if (t == 0 && pick(2) == 0 && !freed_) {
      plan(t, EventKind::Free, kHeapLock, 64);
      plan(t, EventKind::Alloc, kHeapLock, 64);
      freed_ = true;
    }
    plan(t, EventKind::Acquire, kHeapLock);
    touch(t, variable(3), true);
    plan(t, EventKind::Release, kHeapLock);
  }

  void finish_main() {
    for (const std::uint32_t child : {1u, 2u})
      if ((child != 1 || !joined_) && pick(4) != 0) plan(0, EventKind::Join, 0, child);
    touch(0, variable(pick(2)), true);
    if (pick(8) == 0) plan(0, EventKind::LockDestroy, lock(0)); // threads that were not joined may come too late
    if (mess_ == Mess::Stale) plan(0, EventKind::Free, kObject, 16);
  }

  struct Lock {
    std::uint32_t owner = 0; // 1 + thread
    std::set<std::uint32_t> readers;
  };
  bool is_free(std::uint64_t address) { return locks_[address].owner == 0 && locks_[address].readers.empty(); }

  // False: it must wait.
  bool take(std::uint32_t t, const Step& s) {
    switch (s.kind) {
    case EventKind::Acquire:
      if (!is_free(s.address)) return false;
      locks_[s.address].owner = t + 1;
      return true;
    case EventKind::AcquireShared:
      if (locks_[s.address].owner != 0) return false;
      locks_[s.address].readers.insert(t);
      return true;
    case EventKind::Release: locks_[s.address].owner = 0; return true;
    case EventKind::ReleaseShared: locks_[s.address].readers.erase(t); return true;
    case EventKind::Wait:
      locks_[s.value].owner = 0;
      signalled_ = false;
      return true;
    case EventKind::Wake:
      if (!signalled_ || !is_free(s.value)) return false;
      locks_[s.value].owner = t + 1;
      return true;
    case EventKind::Signal: signalled_ = true; return true;
    case EventKind::Fork: started_[s.value] = true; return true;
    case EventKind::ThreadStart: return started_[t];
    case EventKind::ThreadEnd: ended_[t] = true; return true;
    case EventKind::Join: return ended_[s.value];
    case EventKind::LockDestroy: return is_free(s.address);
    case EventKind::Free: return s.address != kHeapLock || is_free(kHeapLock);
    default: return true;
    }
  }

  void go_on(std::uint32_t t) {
    if (plans_[t].empty() || !take(t, plans_[t].front())) return;
    const Step s = plans_[t].front();
    plans_[t].pop_front();
    const bool write = s.kind == EventKind::Write || s.kind == EventKind::AtomicWrite;
    if (!write && s.kind != EventKind::Read && s.kind != EventKind::AtomicRead) {
      builder_.add(t, s.kind, s.address, s.value);
      return;
    }
    if (write) memory_[s.address] = pick(2);
    Event& e = builder_.access(t, s.kind, s.address, 4, memory_[s.address]);
    if (s.kind == EventKind::AtomicRead || s.kind == EventKind::AtomicWrite) e.order = trace::MemoryOrder::Relaxed;
  }

  std::mt19937_64 random_;
  TraceBuilder builder_;
  const Mess mess_;
  bool freed_ = false, joined_ = false, signalled_ = false;
  std::array<std::deque<Step>, 3> plans_;
  std::array<bool, 3> started_{true, false, false}, ended_{};
  std::map<std::uint64_t, Lock> locks_;
  std::map<std::uint64_t, std::uint64_t> memory_;
};

using Lie = std::function<bool(Event&)>;

class Survey : public survey::Sharing {
public:
  explicit Survey(Lie lie) : lie_(std::move(lie)) {}
  void survey(const Event& event) override {
    Event seen = event;
    if (!lie_ || lie_(seen)) Sharing::survey(seen);
  }

private:
  Lie lie_;
};

// The findings of the whole trace whose kind the survey has ruled out.
struct Compared {
  std::set<std::string> wrong, all;
  survey::Settled settled;
};
Compared compare(const Trace& trace, const Lie& lie = {}) {
  Compared out;
  const std::vector<std::uint8_t> file = write_trace_bytes(trace);
  Survey survey(lie);
  trace::ReadOptions options;
  options.sieve = &survey;
  EXPECT_TRUE(trace::read_trace_bytes(file, options).ok());
  out.settled = survey.settled();
  const Found whole = found_in(file, nullptr);
  EXPECT_TRUE(whole.legal) << text(trace);
  out.all = whole.findings;
  const auto ruled_out = [&](std::string_view finding) {
    if (finding.starts_with("race")) return out.settled.races;
    if (finding.starts_with("deadlock")) return out.settled.deadlocks;
    if (finding.starts_with("lost-wakeup")) return out.settled.wakeups;
    if (finding.starts_with("misuse")) return out.settled.misuse;
    if (finding.starts_with("thread-leak")) return out.settled.threads;
    if (finding.starts_with("atomicity")) return out.settled.blocks;
    if (finding.starts_with("assertion")) return out.settled.assertions;
    return out.settled.memory;
  };
  for (const std::string& finding : whole.findings)
    if (ruled_out(finding)) out.wrong.insert(finding);
  return out;
}

TEST(Settled, NoEngineFindsWhatIsRuledOut) {
  std::array<std::array<unsigned, 2>, 4> seen{}; // by kind: settled; found
  unsigned all = 0;
  for (std::uint64_t seed = 1; seed <= 2500; ++seed) {
    const Trace trace = Tidy(seed).make();
    const Compared compared = compare(trace);
    ASSERT_TRUE(compared.wrong.empty()) << "seed " << seed << ": " << *compared.wrong.begin() << "\n" << text(trace);
    const survey::Settled& s = compared.settled;
    const auto found = [&](std::string_view kind) {
      return std::ranges::any_of(compared.all, [&](const std::string& f) { return f.starts_with(kind); });
    };
    std::size_t kind = 0;
    for (const auto& [settled, name] : {std::pair(s.races, "race"), std::pair(s.deadlocks, "deadlock"),
                                        std::pair(s.wakeups, "lost-wakeup"), std::pair(s.memory, "use-after-free")}) {
      seen[kind][0] += settled;
      seen[kind++][1] += found(name);
    }
    all += s.races && s.deadlocks && s.wakeups && s.memory && s.misuse && s.blocks && s.end;
  }
  for (std::size_t kind = 0; kind < 4; ++kind) {
    EXPECT_GT(seen[kind][0], 100u) << kind; // rules that never apply are right as well
    EXPECT_GT(seen[kind][1], 5u) << kind;   // and so are those that are never asked
  }
  EXPECT_GT(all, 100u);
}

TEST(Settled, NoEngineFindsWhatIsRuledOutInUntidyLives) {
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    const Trace trace = Life(seed).make(10 + seed % 16);
    const Compared compared = compare(trace);
    ASSERT_TRUE(compared.wrong.empty()) << "seed " << seed << ": " << *compared.wrong.begin() << "\n" << text(trace);
  }
}

// The condition of a check that wants its load to see this value.
std::vector<std::uint32_t> checks_for(std::uint64_t wanted) {
  const auto word = [](trace::CheckOperation operation, unsigned bits) {
    return static_cast<std::uint32_t>(operation) | bits << 8;
  };
  return {word(trace::CheckOperation::Load, 32), word(trace::CheckOperation::Constant, 32),
          static_cast<std::uint32_t>(wanted), 0, word(trace::CheckOperation::NotEqual, 1)};
}

// Some reads are checks of what they saw: the program fails if one sees something else.
Trace with_checks(std::uint64_t seed) {
  Trace trace = Tidy(seed).make();
  trace.checks.emplace_back();
  for (const Event& e : trace.events) {
    if (e.kind != EventKind::Read || (seed / 16 + e.site) % 4 != 0) continue;
    trace.sites[e.site].check = static_cast<std::uint32_t>(trace.checks.size());
    trace.checks.push_back({"abort", {e.site}, checks_for(e.value)});
  }
  return trace;
}

TEST(Settled, NoAssertionFailsThatIsRuledOut) {
  unsigned settled = 0, failing = 0;
  for (std::uint64_t seed = 1; seed <= 2500; ++seed) {
    const Trace trace = with_checks(seed);
    const Compared compared = compare(trace);
    ASSERT_TRUE(compared.wrong.empty()) << "seed " << seed << ": " << *compared.wrong.begin() << "\n" << text(trace);
    settled += compared.settled.assertions && trace.checks.size() > 1;
    failing += std::ranges::any_of(compared.all, [](const std::string& f) { return f.starts_with("assertion"); });
  }
  EXPECT_GT(settled, 100u);
  EXPECT_GT(failing, 100u);
}

// A check of memory that is kept for another reason, such as the first access of a frame's page, is
// settled by who uses the memory; across a border, by both sides of it.
TEST(Settled, AssertionsAboutMemoryThatIsKeptForOtherReasons) {
  for (const bool shared : {false, true}) {
    TraceBuilder builder(2);
    const std::uint32_t check = builder.site("frame.c", 1, "main", "v", trace::kSiteOwnFrame);
    builder.trace.checks.resize(1);
    builder.trace.checks.push_back({"abort", {check}, checks_for(0)});
    builder.trace.sites[check].check = 1;
    builder.add(0, EventKind::Fork, 0, 1);
    builder.add(1, EventKind::ThreadStart, 0, 0);
    builder.write(1, shared ? 0x10008 : 0x10010, 4, 0);
    builder.read(0, 0x10004, 8, 0).site = check;
    survey::Sharing sharing;
    trace::ReadOptions options;
    options.sieve = &sharing;
    ASSERT_TRUE(trace::read_trace_bytes(write_trace_bytes(builder.trace), options).ok());
    EXPECT_EQ(sharing.settled().assertions, !shared);
  }
}

// --- mutants -------------------------------------------------------------------------------------

bool is_noticed(const Lie& lie) {
  for (std::uint64_t seed = 1; seed <= 2500; ++seed)
    if (!compare(Tidy(seed).make(), lie).wrong.empty()) return true;
  return false;
}

TEST(SettledMutants, AccessesTakenForOnesUnderTheLock) { // the release came earlier
  EXPECT_TRUE(is_noticed([](Event& e) { return e.kind != EventKind::Release || e.address != 0x30000; }));
}
TEST(SettledMutants, ReadersTakenForWriters) {
  EXPECT_TRUE(is_noticed([](Event& e) {
    if (e.kind == EventKind::AcquireShared) e.kind = EventKind::Acquire;
    if (e.kind == EventKind::ReleaseShared) e.kind = EventKind::Release;
    return true;
  }));
}
TEST(SettledMutants, TwoLocksAtOneAddressTakenForOne) {
  EXPECT_TRUE(is_noticed([](Event& e) { return e.address != 0x28000 || e.kind != EventKind::Alloc; }));
}
TEST(SettledMutants, PlainAccessesTakenForAtomicOnes) {
  EXPECT_TRUE(is_noticed([](Event& e) {
    if (e.kind == EventKind::Read) e.kind = EventKind::AtomicRead;
    return true;
  }));
}
TEST(SettledMutants, RequestsThatNobodyWasToldOf) { // of the second lock
  EXPECT_TRUE(is_noticed([](Event& e) { return e.address != 0x30040; }));
}
TEST(SettledMutants, JoinsThatNobodyWasToldOf) {
  EXPECT_TRUE(is_noticed([](Event& e) { return e.kind != EventKind::Join; }));
}
TEST(SettledMutants, WaitsThatNobodyWasToldOf) {
  EXPECT_TRUE(is_noticed([](Event& e) { return trace::object_of(e.kind) != trace::ObjectKind::Condition; }));
}
TEST(SettledMutants, FreedMemoryThatNobodyWasToldOf) {
  EXPECT_TRUE(is_noticed([](Event& e) { return e.kind != EventKind::Free; }));
}
TEST(SettledMutants, AssertionsAboutMemoryThatOthersAreNotSeenToWrite) {
  const Lie lie = [](Event& e) { return e.kind != EventKind::Write || e.thread == 0; };
  bool noticed = false;
  for (std::uint64_t seed = 1; seed <= 2500 && !noticed; ++seed)
    noticed = std::ranges::any_of(compare(with_checks(seed), lie).wrong,
                                  [](const std::string& finding) { return finding.starts_with("assertion"); });
  EXPECT_TRUE(noticed);
}
TEST(SettledMutants, ThreadsTakenForJoined) {
  EXPECT_TRUE(is_noticed([](Event& e) {
    if (e.kind == EventKind::Fork && e.value == 2) e.kind = EventKind::Join; // before it began
    return true;
  }));
}

// --- reading no further --------------------------------------------------------------------------

TEST(Settled, ReadsNothingButTheThreadsIfTheSurveyIsEnough) {
  const Trace trace = Tidy(static_cast<std::uint64_t>(Mess::Count) * 7).make(); // no mess
  survey::Sharing sharing;
  trace::ReadOptions options;
  options.sieve = &sharing;
  options.enough = [&] { return sharing.settled().races; };
  auto read = trace::read_trace_bytes(write_trace_bytes(trace), options);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->threads.size(), 3u);
  EXPECT_EQ(read->events_settled + read->events.size(), trace.events.size());
  for (const Event& e : read->events) EXPECT_TRUE(object_of(e.kind) == trace::ObjectKind::Thread);
}

// Long files are decoded by another thread, ahead of the survey (trace/restore/decode_ahead.h).
Trace long_trace() {
  TraceBuilder builder(3);
  for (const std::uint32_t child : {1u, 2u}) {
    builder.add(0, EventKind::Fork, 0, child);
    builder.add(child, EventKind::ThreadStart, 0, 0);
  }
  for (std::uint64_t i = 0; i < 20'000; ++i)
    for (const std::uint32_t t : {1u, 2u}) {
      builder.add(t, EventKind::Acquire, 0x30000);
      builder.write(t, 0x10000, 4, i);
      builder.add(t, EventKind::Release, 0x30000);
    }
  return builder.trace;
}

TEST(Settled, EveryEventOfALongFileIsSurveyed) {
  const Trace trace = long_trace();
  survey::Sharing sharing;
  trace::ReadOptions options;
  options.sieve = &sharing;
  options.enough = [&] { return sharing.settled().races; };
  auto read = trace::read_trace_bytes(write_trace_bytes(trace), options);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->events_settled + read->events.size(), trace.events.size());
}

TEST(Settled, ALongFileIsLeftWhenThereIsNoMoreTime) {
  const Trace trace = long_trace();
  for (const unsigned most : {0u, 1u}) { // questions that are answered with no
    survey::Sharing sharing;
    trace::ReadOptions options;
    options.sieve = &sharing;
    bool stopped = false;
    unsigned asked = 0;
    options.stop = [&] { return asked++ >= most; };
    options.stopped = &stopped;
    auto read = trace::read_trace_bytes(write_trace_bytes(trace), options);
    ASSERT_TRUE(read.ok());
    EXPECT_TRUE(stopped);
    if (most == 0) {
      EXPECT_FALSE(sharing.settled().races); // the survey was not finished
    }
  }
}

// A lock that its own thread gives up once too often excludes nobody.
TEST(Settled, AMisusedLockIsNoReason) {
  for (const bool misused : {false, true}) {
    TraceBuilder builder(3);
    for (const std::uint32_t child : {1u, 2u}) {
      builder.add(0, EventKind::Fork, 0, child);
      builder.add(child, EventKind::ThreadStart, 0, 0);
    }
    for (const std::uint32_t t : {1u, 2u}) {
      builder.add(t, EventKind::Acquire, 0x30000);
      builder.write(t, 0x10000, 4, t);
      builder.add(t, EventKind::Release, 0x30000);
      if (misused && t == 1) builder.add(t, EventKind::Release, 0x30000);
    }
    survey::Sharing sharing;
    trace::ReadOptions options;
    options.sieve = &sharing;
    ASSERT_TRUE(trace::read_trace_bytes(write_trace_bytes(builder.trace), options).ok());
    EXPECT_EQ(sharing.settled().races, !misused);
    EXPECT_EQ(sharing.settled().misuse, !misused);
  }
}

} // namespace
} // namespace sooth::cross
