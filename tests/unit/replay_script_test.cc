// Witness files, and schedules with fewer thread switches.
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "replay/critical.h"
#include "replay/fewer_switches.h"
#include "replay/script.h"
#include "replay/script_of.h"

namespace sooth::replay {
namespace {

using trace::Event;
using trace::EventKind;
using trace::Trace;

const std::string kHead = "sooth witness 1\nprogram \"bank\"\nfinding race 12\ngoal race\nthread 0\nthread 1 by 0 1\n";

TEST(ReplayScript, IsPrintedAndReadAgain) {
  Script script;
  script.program = "my bank";
  script.finding = "use-after-free";
  script.fingerprint = "12ab";
  script.goal = Goal::Freed;
  script.threads = {{}, {0, 1}, {1, 2}};
  script.steps.push_back({2, EventKind::Free, 3, {"a \"b\".cpp", 4, 5, "f(char const*)\n"}, kRemember, 0});
  script.steps.push_back({0, EventKind::Write, 1, {"x\\y.c", 7, 1, "g"}, kHasValue, 0xffffffffffffffff});
  script.steps.push_back({1, EventKind::Join, 2, {"a.c", 3, 1, "f"}, kPauses, 0});
  script.steps.push_back({1, EventKind::Acquire, 1, {"", 0, 0, ""}, kStops | kFails, 0});
  const auto read = parse_script(print(script), "w");
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(read.value(), script);
}

std::string error_of(const std::string& text) {
  const auto script = parse_script(text, "w");
  return script.ok() ? "" : script.error().text();
}

TEST(ReplayScript, ErrorsNameLineAndColumn) {
  EXPECT_EQ(error_of("sooth witness 2\n"), "w:1:15: this witness is of another version of Sooth.");
  EXPECT_EQ(error_of("hello\n").substr(0, 6), "w:1:1:");
  EXPECT_EQ(error_of(kHead), "w:6:1: the witness has no steps.");
  EXPECT_EQ(
      error_of(kHead + "go 1\n"),
      "w:7:1: expected `program`, `finding`, `goal`, `thread`, `run`, `pause`, `stop`, `early`, `late` or `from`.");
  EXPECT_EQ(error_of(kHead + "run 2 write 1 \"a\" 1 1 \"f\"\n"), "w:7:5: expected a thread's number.");
  EXPECT_EQ(error_of(kHead + "run 1 scribble 1 \"a\" 1 1 \"f\"\n"), "w:7:7: expected a kind of event.");
  EXPECT_EQ(error_of(kHead + "run 1 write 0 \"a\" 1 1 \"f\"\n"), "w:7:13: expected a count, from 1.");
  EXPECT_EQ(error_of(kHead + "run 1 write 1 \"a 1 1\n"), "w:7:15: this text has no end: `\"` is missing.");
  EXPECT_EQ(error_of(kHead + "run 1 write 1 \"a\" 1 1 \"f\" soon\n"),
            "w:7:27: expected `fails`, `remember`, `value` or `of`.");
  EXPECT_EQ(error_of(kHead + "thread 3 by 0 1\n"), "w:7:8: expected the next thread's number.");
  EXPECT_EQ(error_of(kHead + "thread 2 by 2 1\n"), "w:7:13: expected the number of an earlier thread.");
}

// --- runs ----------------------------------------------------------------------------------------

Event event(std::uint32_t thread, EventKind kind, std::uint64_t address, std::uint32_t site) {
  Event e;
  e.thread = thread;
  e.kind = kind;
  e.address = address;
  e.site = site;
  e.size = kind == EventKind::Read || kind == EventKind::Write ? 4 : 0;
  return e;
}

// Sites 1 to 9 are the lines 1 to 9 of f.
Trace trace_of(std::vector<Event> events, std::uint32_t threads) {
  Trace trace;
  trace.events = std::move(events);
  trace.threads.resize(threads);
  trace.sites.resize(10);
  for (std::uint32_t i = 1; i < 10; ++i) trace.sites[i] = {"a.cpp", i, 1, "f", "", 0, 0};
  return trace;
}

std::vector<std::uint32_t> all_of(const Trace& trace) {
  std::vector<std::uint32_t> run;
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) run.push_back(i);
  return run;
}

constexpr std::uint64_t kLock = 0x100, kX = 0x200, kY = 0x300;

TEST(FewerSwitches, IndependentEventsAreGathered) {
  const Trace trace = trace_of({event(0, EventKind::Acquire, kLock, 1), event(1, EventKind::Write, kX, 2),
                                event(0, EventKind::Write, kY, 3), event(1, EventKind::Write, kX, 4),
                                event(0, EventKind::Release, kLock, 5), event(1, EventKind::Acquire, kLock, 6)},
                               2);
  const std::vector<std::uint32_t> expected = {0, 2, 4, 1, 3, 5};
  EXPECT_EQ(with_fewer_switches(trace, all_of(trace)), expected);
}

TEST(FewerSwitches, ConflictingAccessesKeepTheirOrder) {
  const Trace trace = trace_of({event(0, EventKind::Write, kX, 1), event(1, EventKind::Read, kX, 2),
                                event(0, EventKind::Write, kX, 3), event(1, EventKind::Write, kX, 4)},
                               2);
  EXPECT_EQ(with_fewer_switches(trace, all_of(trace)), all_of(trace));
}

// A call clings to the event before it, and a glued access to the one behind it; the checker refuses
// a run that parts them. Thread 1's write comes in between here, and waits for nothing.
TEST(FewerSwitches, EventsThatStayTogetherMoveTogether) {
  std::vector<Event> events = {event(0, EventKind::Write, kX, 1), event(1, EventKind::Write, kY, 2),
                               event(0, EventKind::Enter, 0, 3),  event(1, EventKind::Read, kY, 4),
                               event(0, EventKind::Read, kX, 5),  event(1, EventKind::Acquire, kLock, 6),
                               event(0, EventKind::Read, kY, 7),  event(1, EventKind::Release, kLock, 8)};
  events[4].flags = trace::kGlued; // the read of x stays with the read of y
  const std::vector<std::uint32_t> expected = {0, 2, 1, 3, 5, 7, 4, 6};
  const Trace trace = trace_of(events, 2);
  EXPECT_EQ(with_fewer_switches(trace, all_of(trace)), expected);
}

TEST(FewerSwitches, ReadersOfALockDoNotOrderEachOther) {
  const std::vector<Event> events = {
      event(0, EventKind::AcquireShared, kLock, 1), event(1, EventKind::AcquireShared, kLock, 2),
      event(0, EventKind::ReleaseShared, kLock, 3), event(1, EventKind::ReleaseShared, kLock, 4),
      event(0, EventKind::AcquireShared, kLock, 5), event(1, EventKind::Acquire, kLock, 6),
      event(0, EventKind::ReleaseShared, kLock, 7)}; // the order that was given is kept, whatever it is
  const std::vector<std::uint32_t> expected = {0, 2, 4, 1, 3, 5, 6};
  const Trace trace = trace_of(events, 2);
  EXPECT_EQ(with_fewer_switches(trace, all_of(trace)), expected);
}

TEST(FewerSwitches, FencesAndRequestsWaitForNobody) {
  const std::vector<Event> events = {event(0, EventKind::Write, kX, 1),      event(1, EventKind::Fence, 0, 2),
                                     event(0, EventKind::Fence, 0, 3),       event(1, EventKind::Acquire, kLock, 4),
                                     event(0, EventKind::Request, kLock, 5), event(1, EventKind::Release, kLock, 6),
                                     event(0, EventKind::Acquire, kLock, 7)};
  const std::vector<std::uint32_t> expected = {0, 2, 4, 1, 3, 5, 6};
  const Trace trace = trace_of(events, 2);
  EXPECT_EQ(with_fewer_switches(trace, all_of(trace)), expected);
}

// The same order of conflicting accesses, of the locks, and of each thread; never more switches.
RC_GTEST_PROP(FewerSwitches, KeepWhatDepends, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(0, 40);
  std::vector<Event> events;
  for (std::size_t i = 0; i < size; ++i) {
    const auto kind = *rc::gen::element(EventKind::Read, EventKind::Write, EventKind::Acquire, EventKind::Release);
    events.push_back(
        event(*rc::gen::inRange<std::uint32_t>(0, 4), kind, 8 * *rc::gen::inRange<std::uint64_t>(1, 4), 1));
  }
  const Trace trace = trace_of(events, 4);
  const std::vector<std::uint32_t> run = with_fewer_switches(trace, all_of(trace));
  RC_ASSERT(run.size() == size);
  RC_ASSERT(switches(trace, run) <= switches(trace, all_of(trace)));
  std::vector<std::size_t> place(size);
  for (std::size_t i = 0; i < size; ++i) place[run[i]] = i;
  const auto is_access = [](const Event& e) { return e.kind == EventKind::Read || e.kind == EventKind::Write; };
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t k = i + 1; k < size; ++k) {
      const Event &a = events[i], &b = events[k];
      const bool reads = a.kind == EventKind::Read && b.kind == EventKind::Read;
      const bool depends = a.thread == b.thread || (a.address == b.address && is_access(a) == is_access(b) && !reads);
      if (depends) RC_ASSERT(place[i] < place[k]);
    }
}

std::uint64_t work = 1'000'000;

TEST(ScriptOf, AnAccessIsCountedFromTheLastSynchronisation) {
  // Thread 1 reads x three times, once before it takes the lock; the race is at the third one.
  std::vector<Event> events = {event(0, EventKind::Fork, 0, 1),        event(1, EventKind::ThreadStart, 0, 0),
                               event(1, EventKind::Read, kX, 2),       event(1, EventKind::Acquire, kLock, 3),
                               event(1, EventKind::Read, kX, 2),       event(1, EventKind::Read, kX, 2),
                               event(1, EventKind::Release, kLock, 4), event(0, EventKind::Write, kX, 5)};
  events[0].value = 1;
  const Trace trace = trace_of(events, 2);
  witness::Finding finding;
  finding.witness = {0, {0, 1, 2, 3, 4}, {5, 7}};
  const auto script = script_of(trace, finding, run_of(finding.witness), work);
  ASSERT_TRUE(script.has_value());
  const std::vector<ScriptStep> expected = {{0, EventKind::Fork, 1, {"a.cpp", 1, 1, "f"}, 0, 0},
                                            {1, EventKind::Acquire, 1, {"a.cpp", 3, 1, "f"}, 0, 0},
                                            {1, EventKind::Read, 1, {"a.cpp", 2, 1, "f"}, 0, 0},
                                            {0, EventKind::Write, 1, {"a.cpp", 5, 1, "f"}, kStops, 0},
                                            {1, EventKind::Read, 1, {"a.cpp", 2, 1, "f"}, kStops, 0}};
  EXPECT_EQ(script->steps, expected);
  EXPECT_EQ(script->goal, Goal::Race);
}

TEST(ScriptOf, AThreadPausesBeforeItsNextSynchronisation) {
  // Accesses cannot be counted for certain: thread 1 is left behind its read, before the lock.
  std::vector<Event> events = {event(0, EventKind::Fork, 0, 1),        event(1, EventKind::ThreadStart, 0, 0),
                               event(1, EventKind::Read, kX, 2),       event(0, EventKind::Write, kY, 5),
                               event(1, EventKind::Acquire, kLock, 3), event(0, EventKind::Write, kX, 6),
                               event(1, EventKind::Write, kX, 4)};
  events[0].value = 1;
  const Trace trace = trace_of(events, 2);
  witness::Finding finding;
  finding.witness = {0, {0, 1, 2, 3, 4}, {5, 6}};
  const auto script = script_of(trace, finding, run_of(finding.witness), work);
  ASSERT_TRUE(script.has_value());
  const std::vector<ScriptStep> expected = {{0, EventKind::Fork, 1, {"a.cpp", 1, 1, "f"}, 0, 0},
                                            {1, EventKind::Acquire, 1, {"a.cpp", 3, 1, "f"}, kPauses, 0},
                                            {0, EventKind::Write, 1, {"a.cpp", 5, 1, "f"}, 0, 0},
                                            {1, EventKind::Acquire, 1, {"a.cpp", 3, 1, "f"}, 0, 0},
                                            {0, EventKind::Write, 1, {"a.cpp", 6, 1, "f"}, kStops, 0},
                                            {1, EventKind::Write, 1, {"a.cpp", 4, 1, "f"}, kStops, 0}};
  EXPECT_EQ(script->steps, expected);
}

TEST(ScriptOf, AThreadDoesNotPauseBehindTheEndOfABlock) {
  // Thread 1 frees something before it takes the lock: thread 0 may use it before that.
  std::vector<Event> events = {event(0, EventKind::Fork, 0, 1),   event(1, EventKind::ThreadStart, 0, 0),
                               event(1, EventKind::Read, kX, 2),  event(0, EventKind::Write, kY, 5),
                               event(1, EventKind::Free, kY, 7),  event(1, EventKind::Acquire, kLock, 3),
                               event(0, EventKind::Write, kX, 6), event(1, EventKind::Write, kX, 4)};
  events[0].value = 1;
  const Trace trace = trace_of(events, 2);
  witness::Finding finding;
  finding.witness = {0, {0, 1, 2, 3, 4, 5}, {6, 7}};
  const auto script = script_of(trace, finding, run_of(finding.witness), work);
  ASSERT_TRUE(script.has_value());
  for (const ScriptStep& step : script->steps) EXPECT_FALSE(step.pauses());
}

TEST(ScriptOf, AnObservedFindingHasNone) {
  const Trace trace = trace_of({event(0, EventKind::Write, kX, 1)}, 1);
  witness::Finding finding;
  finding.status = witness::Status::Observed;
  finding.witness = {0, {}, {0}};
  EXPECT_FALSE(script_of(trace, finding, {}, work).has_value());
}

// The header's own example: the race is there as soon as thread 2 has the lock first.
TEST(CriticalPair, TheAcquisitionThatOvertakesDecidesARace) {
  constexpr std::uint64_t kFirst = 1, kSecond = 2;
  std::vector<Event> events = {event(0, EventKind::Fork, 0, 1),
                               event(0, EventKind::Fork, 0, 2),
                               event(kFirst, EventKind::Read, kX, 3),
                               event(kFirst, EventKind::Acquire, kLock, 4),
                               event(kFirst, EventKind::Release, kLock, 5),
                               event(kSecond, EventKind::Acquire, kLock, 6),
                               event(kSecond, EventKind::Release, kLock, 7),
                               event(kSecond, EventKind::Write, kX, 8)};
  events[0].value = kFirst;
  events[1].value = kSecond;
  const Trace trace = trace_of(events, 3);
  witness::Finding finding;
  finding.kind = witness::FindingKind::Race;
  finding.witness = {0, {0, 1, 5, 6}, {2, 7}};
  finding.places = {{2, witness::Role::Access}, {7, witness::Role::Access}};
  const std::vector<std::uint32_t> run = run_of(finding.witness);
  EXPECT_EQ(critical_pair(trace, finding, run, work), (CriticalPair{5, 3}));
  std::uint64_t none = 0;
  EXPECT_FALSE(critical_pair(trace, finding, run, none).has_value());
}

// Two threads take two locks in opposite orders. Thread 0 must have its first lock before thread 1
// has its second one.
TEST(CriticalPair, TheFirstLockTakenTooEarlyDecidesADeadlock) {
  constexpr std::uint64_t kOther = kLock + 64;
  std::vector<Event> events = {event(0, EventKind::Fork, 0, 1),         event(1, EventKind::Acquire, kLock, 2),
                               event(1, EventKind::Acquire, kOther, 3), event(1, EventKind::Release, kOther, 4),
                               event(1, EventKind::Release, kLock, 5),  event(0, EventKind::Acquire, kOther, 6),
                               event(0, EventKind::Acquire, kLock, 7),  event(0, EventKind::Release, kLock, 8),
                               event(0, EventKind::Release, kOther, 9)};
  events[0].value = 1;
  const Trace trace = trace_of(events, 2);
  witness::Finding finding;
  finding.kind = witness::FindingKind::Deadlock;
  finding.witness = {0, {0, 1, 5}, {2, 6}};
  finding.places = {{2, witness::Role::Request}, {6, witness::Role::Request}};
  EXPECT_EQ(critical_pair(trace, finding, run_of(finding.witness), work), (CriticalPair{5, 2}));
}

TEST(Script, TheCriticalPairIsReadBack) {
  const Trace trace = trace_of({event(0, EventKind::Write, kX, 1)}, 1);
  Script script;
  script.program = "p";
  script.finding = "race";
  script.fingerprint = "1234567812345678";
  script.threads = {{}};
  script.steps = {{0, EventKind::Write, 1, {"a.cpp", 1, 1, "f"}, kStops, 0, "x"}};
  script.early =
      ScriptEvent{{0, EventKind::Write, 1, {"a.cpp", 1, 1, "f"}, 0, 0, "x"}, {{"b \"q\".cpp", 7, 1, "g(int)"}}};
  script.late = ScriptEvent{{0, EventKind::Read, 2, {"a.cpp", 3, 1, "f"}, 0, 0, ""}, {}};
  const auto back = parse_script(print(script), "text");
  ASSERT_TRUE(back);
  EXPECT_EQ(back.value(), script);
  script.late.reset();
  EXPECT_FALSE(parse_script(print(script), "text"));
  EXPECT_FALSE(parse_script("sooth witness 1\nthread 0\nfrom \"a\" 1 1 \"f\"\n", "text"));
}

} // namespace
} // namespace sooth::replay
