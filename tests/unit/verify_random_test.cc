// Random legal executions are accepted; one illegal change at a random place is found, by the rule it breaks.
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "trace/verify.h"
#include "verify_run.h"

namespace sooth::trace {
namespace {

using testing::RandomRun;

constexpr std::size_t kSteps = 400;

std::string first_problem(const VerifyReport& report) {
  if (report.problems.empty()) return "";
  return std::to_string(report.problems[0].event) + ": " + report.problems[0].sentence;
}

std::uint64_t broken(const VerifyReport& report, Rule rule) { return report.broken[static_cast<std::size_t>(rule)]; }

// A random event that `suits`, or none.
template <typename Suits>
std::size_t random_event(const Trace& t, Suits&& suits) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < t.events.size(); ++i)
    if (suits(t.events[i])) all.push_back(i);
  RC_PRE(!all.empty());
  return *rc::gen::elementOf(all);
}

TEST(VerifyRandom, LegalExecutionsAreAccepted) {
  EXPECT_TRUE(rc::check("legal executions", [](std::uint64_t seed) {
    const VerifyReport report = verify(RandomRun(seed).make(kSteps));
    if (!report.legal()) RC_FAIL(first_problem(report));
  }));
}

TEST(VerifyRandom, ExecutionsCoverEveryFamilyOfKinds) {
  std::set<EventKind> seen;
  std::size_t events = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Trace t = RandomRun(seed).make(kSteps);
    events += t.events.size();
    for (const Event& e : t.events) seen.insert(e.kind);
  }
  EXPECT_GE(events, 50 * kSteps / 4); // few of them get stuck early
  EXPECT_GE(seen.size(), 43u);
}

TEST(VerifyRandom, PrefixesOfLegalExecutionsAreAccepted) {
  EXPECT_TRUE(rc::check("a program may be stopped anywhere", [](std::uint64_t seed) {
    Trace t = RandomRun(seed).make(kSteps);
    // What never comes must not be asked for: the facts about threads are those of the prefix.
    t.events.resize(*rc::gen::inRange<std::size_t>(0, t.events.size()));
    const VerifyReport report = verify(t);
    if (!report.legal()) RC_FAIL(first_problem(report));
  }));
}

// A Verifier that has seen the beginning says of each end what verify() says of the whole, and is none the wiser for it.
TEST(VerifyRandom, EndsCanBeJudgedOneAfterTheOther) {
  EXPECT_TRUE(rc::check("two ends of one beginning", [](std::uint64_t seed) {
    const Trace whole = RandomRun(seed).make(kSteps);
    const std::size_t cut = *rc::gen::inRange<std::size_t>(0, whole.events.size() + 1);
    Trace t = whole;
    Verifier verifier(t);
    verifier.judge(cut);
    for (int end = 0; end < 3; ++end) {
      t.events = whole.events;
      if (end == 1) // another end: a read there finds something else
        for (std::size_t i = cut; i < t.events.size(); ++i)
          if (t.events[i].kind == EventKind::Read && t.events[i].size <= 8) t.events[i].value ^= 1;
      const VerifyReport expected = verify(t), report = verifier.judge_rest();
      RC_ASSERT(report.broken == expected.broken);
      RC_ASSERT(first_problem(report) == first_problem(expected));
      RC_ASSERT(report.compared_bytes == expected.compared_bytes);
      RC_ASSERT(verifier.judged() == cut);
    }
  }));
}

TEST(VerifyRandom, AChangedBitInAnyReadIsFound) {
  EXPECT_TRUE(rc::check("a read that saw another value", [](std::uint64_t seed) {
    Trace t = RandomRun(seed).make(kSteps);
    const std::size_t index = random_event(t, [](const Event& e) { return reads_memory(e.kind); });
    Event& e = t.events[index];
    const std::uint64_t bit = std::uint64_t{1} << *rc::gen::inRange<unsigned>(0, 8 * e.size);
    (e.kind == EventKind::AtomicRmw ? e.extra : e.value) ^= bit;
    const VerifyReport report = verify(t);
    RC_ASSERT(broken(report, Rule::ReadValue) == 1u);
    RC_ASSERT(report.problems[0].event == index);
  }));
}

TEST(VerifyRandom, ADroppedReleaseIsFoundIfTheLockIsTakenAgain) {
  EXPECT_TRUE(rc::check("two holders", [](std::uint64_t seed) {
    Trace t = RandomRun(seed).make(kSteps);
    const std::size_t index = random_event(t, [&](const Event& e) {
      if (e.kind != EventKind::Release || e.value != kLockNormal) return false;
      for (const Event* later = &e + 1; later <= &t.events.back(); ++later)
        if (later->kind == EventKind::Acquire && later->address == e.address && !later->has(kFailed)) return true;
      return false;
    });
    t.events.erase(t.events.begin() + static_cast<std::ptrdiff_t>(index));
    RC_ASSERT(broken(verify(t), Rule::LockExclusion) >= 1u);
  }));
}

TEST(VerifyRandom, ADroppedAcquireIsFoundIfTheLockIsReleased) {
  EXPECT_TRUE(rc::check("a release by nobody", [](std::uint64_t seed) {
    Trace t = RandomRun(seed).make(kSteps);
    const std::size_t index = random_event(t, [&](const Event& e) {
      if (e.kind != EventKind::Acquire || e.value != kLockNormal || e.has(kFailed)) return false;
      for (const Event* later = &e + 1; later <= &t.events.back(); ++later) {
        if (later->kind == EventKind::Release && later->address == e.address) return true;
        if (later->kind == EventKind::Wait && later->value == e.address) return false;
      }
      return false;
    });
    t.events.erase(t.events.begin() + static_cast<std::ptrdiff_t>(index));
    RC_ASSERT(broken(verify(t), Rule::ReleaseNotHeld) >= 1u);
  }));
}

TEST(VerifyRandom, AJoinMovedToTheStartIsFound) {
  EXPECT_TRUE(rc::check("joined before its end", [](std::uint64_t seed) {
    Trace t = RandomRun(seed).make(4 * kSteps);
    const std::size_t index =
        random_event(t, [](const Event& e) { return e.kind == EventKind::Join && e.thread == 0; });
    std::rotate(t.events.begin(), t.events.begin() + static_cast<std::ptrdiff_t>(index),
                t.events.begin() + static_cast<std::ptrdiff_t>(index) + 1);
    RC_ASSERT(broken(verify(t), Rule::JoinBeforeEnd) >= 1u);
  }));
}

TEST(VerifyRandom, AForkMovedToTheEndIsFound) {
  EXPECT_TRUE(rc::check("started before its fork", [](std::uint64_t seed) {
    Trace t = RandomRun(seed).make(kSteps);
    const std::size_t index = random_event(t, [](const Event& e) { return e.kind == EventKind::Fork; });
    std::rotate(t.events.begin() + static_cast<std::ptrdiff_t>(index),
                t.events.begin() + static_cast<std::ptrdiff_t>(index) + 1, t.events.end());
    RC_ASSERT(broken(verify(t), Rule::StartBeforeFork) >= 1u);
  }));
}

TEST(VerifyRandom, AnyEventsAreJudgedWithoutACrash) {
  EXPECT_TRUE(rc::check("nonsense", [](const std::vector<std::tuple<std::uint8_t, std::uint8_t, std::uint8_t>>& raw) {
    Trace t;
    t.threads.resize(3);
    t.sites.resize(1);
    t.bytes.resize(64);
    static constexpr std::uint64_t numbers[] = {
        0, 1, 2, 16, 0x1000, 0x1004, 0xffff, ~std::uint64_t{0}, ~std::uint64_t{0} - 4095};
    for (const auto& [kind, a, b] : raw) {
      Event e;
      e.kind = static_cast<EventKind>(kind % 60);
      e.thread = a % 4;
      e.address = numbers[a % std::size(numbers)];
      e.value = numbers[b % std::size(numbers)];
      e.extra = b;
      e.size = b % 3 == 0 ? ~std::uint32_t{0} : b;
      e.flags = a ^ b;
      e.order = static_cast<MemoryOrder>(b % 8);
      t.events.push_back(e);
    }
    const VerifyReport report = verify(t, 5);
    RC_ASSERT(report.problems.size() <= 5u);
    RC_ASSERT(report.broken_count() >= report.problems.size());
  }));
}

} // namespace
} // namespace sooth::trace
