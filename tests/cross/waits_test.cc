// Arguments about threads that wait, against the reference explorer: two waits that saw different
// values never meet (predict/deadlocks/agreement.h), and what was seen under a lock that is still
// held was the last write (predict/question/last_writes.h). Each "no" must be one of the definition.
#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "causality/computation/computation.h"
#include "causality/computation/wait_queue.h"
#include "predict/deadlocks/agreement.h"
#include "predict/deadlocks/lost_wakeups.h"
#include "predict/deadlocks/requests.h"
#include "predict/question/feasibility.h"
#include "predict/question/last_writes.h"
#include "reference/reference.h"
#include "traces.h"
#include "unit/verify_builder.h"

namespace sooth::cross {
namespace {

using reference::EventNumber;
using reference::Reference;
using reference::State;
using trace::EventKind;
using witness::Model;

constexpr std::uint64_t kMutex = 0x1000, kOuter = 0x1100, kConditions = 0x2000, kMemory = 0x3000;
constexpr std::uint32_t kNobody = 0xffffffff;

// Threads 0 and 1 go through sections of one mutex, in which they look at two variables, wait for
// the other one's signal, change a variable and signal. Most of them behave; each seed has one sort
// of those that do not.
class Waiters {
public:
  explicit Waiters(std::uint64_t seed)
      : random_(seed), mess_(static_cast<Mess>(seed % 8)),
        threads_(mess_ == Mess::Third || (mess_ == Mess::Bare && seed % 3 == 0) ? 3 : 2), builder_(threads_) {}

  trace::Trace make() {
    run();
    return builder_.trace;
  }
  // Nothing if a thread does not come to its end.
  std::optional<trace::Trace> make_whole() {
    run();
    if (std::ranges::any_of(plans_, [](const auto& plan) { return !plan.empty(); })) return {};
    for (std::uint32_t t = 0; t < threads_; ++t) builder_.add(t, EventKind::ThreadEnd);
    return builder_.trace;
  }

private:
  enum class Mess { None, SignalMissing, Bare, Third, OneCondition, Outer, LateWrite, Unlucky };
  struct Step {
    EventKind kind;
    std::uint64_t address;
  };

  void run() {
    for (std::uint32_t t = 0; t < threads_; ++t)
      for (std::uint32_t i = 0, rounds = t == 2 ? 1 : 1 + pick(3); i < rounds; ++i) round(t);
    for (int tries = 0; tries < 400; ++tries) go_on(pick(threads_));
  }

  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
  bool messy(Mess mess) { return mess_ == mess && pick(2) == 0; }
  static std::uint64_t variable(std::uint32_t v) { return kMemory + 8 * v; }
  static std::uint64_t condition(std::uint32_t c) { return kConditions + 64 * c; }

  void round(std::uint32_t t) {
    auto& plan = plans_[t];
    const std::uint32_t own = mess_ == Mess::OneCondition ? 0 : t % 2,
                        other = mess_ == Mess::OneCondition ? 0 : 1 - t % 2;
    const bool outer = messy(Mess::Outer);
    if (messy(Mess::Bare)) {
      plan.push_back({pick(2) == 0 ? EventKind::Read : EventKind::Write, variable(pick(2))});
      if (pick(2) == 0) plan.push_back({EventKind::Signal, condition(other)});
    }
    if (outer) plan.push_back({EventKind::Acquire, kOuter});
    plan.push_back({EventKind::Acquire, kMutex});
    const std::uint32_t v = pick(2);
    plan.push_back({EventKind::Read, variable(v)});
    if (pick(3) == 0) plan.push_back({EventKind::Read, variable(1 - v)});
    if (messy(Mess::LateWrite)) plan.push_back({EventKind::Write, variable(pick(2))});
    if (t != 2 && pick(3) != 0) {
      plan.push_back({EventKind::Wait, condition(own)});
      plan.push_back({EventKind::Wake, condition(own)});
    }
    const bool writes = t != 2 || pick(2) == 0;
    const bool signals = !messy(Mess::SignalMissing);
    if (signals && pick(4) == 0) plan.push_back({EventKind::Signal, condition(other)});
    if (writes) plan.push_back({EventKind::Write, variable(pick(2))});
    if (signals && pick(6) != 0) plan.push_back({EventKind::Signal, condition(other)});
    plan.push_back({EventKind::Release, kMutex});
    if (outer) plan.push_back({EventKind::Release, kOuter});
  }

  // False: it must wait.
  bool take(std::uint32_t t, const Step& step) {
    std::uint32_t& owner = step.address == kOuter ? outer_ : mutex_;
    causality::WaitQueue& queue = queues_[step.address == condition(1) ? 1 : 0];
    switch (step.kind) {
    case EventKind::Acquire:
      if (owner != kNobody) return false;
      owner = t;
      return true;
    case EventKind::Release: owner = kNobody; return true;
    case EventKind::Wait:
      queue.wait(t);
      mutex_ = kNobody;
      return true;
    case EventKind::Wake:
      if (mutex_ != kNobody || !queue.may_wake(t)) return false;
      queue.wake(t, true);
      mutex_ = t;
      return true;
    case EventKind::Signal: queue.signal(); return true;
    default: return true;
    }
  }

  void go_on(std::uint32_t t) {
    if (plans_[t].empty() || !take(t, plans_[t].front())) return;
    const Step step = plans_[t].front();
    plans_[t].pop_front();
    if (step.kind != EventKind::Read && step.kind != EventKind::Write) {
      const bool moves = step.kind == EventKind::Wait || step.kind == EventKind::Wake;
      builder_.add(t, step.kind, step.address, moves ? kMutex : 0);
      return;
    }
    std::uint8_t& byte = memory_[step.address == variable(1) ? 1 : 0];
    if (step.kind == EventKind::Write) byte = static_cast<std::uint8_t>(pick(mess_ == Mess::Unlucky ? 2 : 3));
    builder_.access(t, step.kind, step.address, 1, byte);
  }

  std::mt19937_64 random_;
  const Mess mess_;
  const std::uint32_t threads_;
  trace::testing::TraceBuilder builder_;
  std::array<std::deque<Step>, 3> plans_;
  std::array<causality::WaitQueue, 2> queues_;
  std::array<std::uint8_t, 2> memory_{};
  std::uint32_t mutex_ = kNobody, outer_ = kNobody;
};

// The event's thread stands before this wake-up, and was not signalled since it waits.
bool is_unsignalled(const trace::Trace& trace, const State& state, EventNumber wake) {
  const auto uses = state.uses.find(trace.events[wake].address);
  if (uses == state.uses.end()) return false;
  bool waits = false;
  for (const EventNumber use : uses->second) {
    if (trace.events[use].kind == EventKind::Wait) waits |= trace.events[use].thread == trace.events[wake].thread;
    else if (trace.events[use].kind != EventKind::Wake) waits = false;
  }
  return waits;
}

struct Setting {
  explicit Setting(const trace::Trace& made)
      : trace(made), computation(causality::compute(trace)), requests(predict::collect_requests(trace, computation)),
        feasibility(predict::make_feasibility(computation, Model::Maximal, {})), reference(trace),
        states(reference.states(Model::Maximal)) {}

  EventNumber event(causality::StepId step) const { return computation.steps[step].event; }
  // Among the events of its thread.
  std::uint32_t place(EventNumber event) const {
    std::uint32_t out = 0;
    for (EventNumber i = 0; i < event; ++i) out += trace.events[i].thread == trace.events[event].thread ? 1 : 0;
    return out;
  }
  std::vector<causality::StepId> wakes(std::uint32_t thread) const {
    std::vector<causality::StepId> out;
    for (const predict::Request& request : requests.all)
      if (request.kind == predict::RequestKind::Signal && request.thread == thread)
        out.insert(out.end(), request.steps.begin(), request.steps.end());
    std::ranges::sort(out);
    return out;
  }

  const trace::Trace trace;
  const causality::Computation computation;
  const predict::Requests requests;
  const std::unique_ptr<predict::Feasibility> feasibility;
  const Reference reference;
  const std::set<State> states;
};

TEST(Waits, ThatNeverMeetDoNotMeetInAnyRun) {
  unsigned pairs = 0, dismissed = 0, met = 0;
  for (std::uint64_t seed = 1; seed <= 12000; ++seed) {
    const Setting s(Waiters(seed).make());
    const auto first = s.wakes(0), second = s.wakes(1);
    if (first.empty() || second.empty()) continue;
    const predict::Agreement agreement(s.feasibility->index(), s.feasibility->must_by_lives(s.trace), s.requests, first,
                                       second);
    const std::vector<causality::StepId> alone = agreement.alone();
    for (const causality::StepId a : first)
      for (const causality::StepId b : second) {
        const bool meet = std::ranges::any_of(s.states, [&](const State& state) {
          return s.reference.next(state, 0) == s.event(a) && s.reference.next(state, 1) == s.event(b) &&
                 is_unsignalled(s.trace, state, s.event(a)) && is_unsignalled(s.trace, state, s.event(b));
        });
        const bool may =
            agreement.may_meet(a, b) && !std::ranges::binary_search(alone, a) && !std::ranges::binary_search(alone, b);
        ASSERT_TRUE(may || !meet) << "seed " << seed << "\n" << text(s.trace) << s.event(a) << " " << s.event(b);
        ++pairs;
        met += meet;
        dismissed += !may;
      }
  }
  ::testing::Test::RecordProperty("pairs", static_cast<int>(pairs));
  EXPECT_GT(met, 20u) << pairs;
  EXPECT_GT(dismissed, 20u) << pairs;
}

// Thread 0 waits three times, and does not look again before the last time.
trace::testing::TraceBuilder three_waits() {
  constexpr std::uint64_t kFirst = kConditions, kSecond = kConditions + 64;
  trace::testing::TraceBuilder builder(3);
  const auto access = [&](std::uint32_t t, EventKind kind, std::uint8_t value) {
    builder.access(t, kind, kMemory, 1, value);
  };
  builder.add(0, EventKind::Acquire, kMutex);
  access(0, EventKind::Read, 0);
  builder.add(0, EventKind::Wait, kFirst, kMutex);
  builder.add(2, EventKind::Signal, kFirst);
  builder.add(0, EventKind::Wake, kFirst, kMutex);
  access(0, EventKind::Read, 0);
  builder.add(0, EventKind::Wait, kFirst, kMutex);
  builder.add(1, EventKind::Acquire, kMutex);
  access(1, EventKind::Write, 1);
  builder.add(1, EventKind::Signal, kFirst);
  builder.add(1, EventKind::Release, kMutex);
  builder.add(0, EventKind::Wake, kFirst, kMutex);
  builder.add(0, EventKind::Signal, kSecond);
  builder.add(0, EventKind::Wait, kFirst, kMutex);
  builder.add(1, EventKind::Acquire, kMutex);
  access(1, EventKind::Read, 1);
  builder.add(1, EventKind::Wait, kSecond, kMutex); // both wait, and nobody was signalled
  for (const std::uint64_t condition : {kFirst, kSecond}) builder.add(2, EventKind::Signal, condition);
  for (const std::uint32_t t : {0u, 1u}) {
    builder.add(t, EventKind::Wake, kConditions + 64 * t, kMutex);
    builder.add(t, EventKind::Signal, kConditions + 64 * (1 - t));
    builder.add(t, EventKind::Release, kMutex);
  }
  return builder;
}

std::vector<bool> may_meet_the_other(const trace::Trace& trace) {
  const Setting s(trace);
  const auto first = s.wakes(0), second = s.wakes(1);
  EXPECT_EQ(second.size(), 1u);
  const predict::Agreement agreement(s.feasibility->index(), s.feasibility->must_by_lives(s.trace), s.requests, first,
                                     second);
  std::vector<bool> out;
  for (const causality::StepId wake : first) out.push_back(agreement.may_meet(wake, second.front()));
  return out;
}

TEST(Waits, WhatWasSeenInAnEarlierSectionIsNotTheLastValue) {
  EXPECT_EQ(may_meet_the_other(three_waits().trace), (std::vector<bool>{false, false, true}));
}

// Somebody may stand who has the mutex, and then threads wait that were signalled.
TEST(Waits, AMutexThatIsHeldInARequestProvesNothing) {
  trace::testing::TraceBuilder builder = three_waits();
  for (const std::uint64_t lock : {kMutex, kOuter}) builder.add(2, EventKind::Acquire, lock);
  for (const std::uint64_t lock : {kOuter, kMutex}) builder.add(2, EventKind::Release, lock);
  EXPECT_EQ(may_meet_the_other(builder.trace), (std::vector<bool>{true, true, true}));
}

TEST(Waits, ThatContradictTheLastWritesAreInNoRun) {
  unsigned asked = 0, refuted = 0, possible = 0;
  for (std::uint64_t seed = 1; seed <= 6000; ++seed) {
    const Setting s(Waiters(seed).make());
    predict::LastWrites last(s.feasibility->index(), s.feasibility->must_by_lives(s.trace));
    std::mt19937_64 random(seed);
    for (EventNumber i = 0; i < s.trace.events.size(); ++i) {
      if (s.trace.events[i].kind != EventKind::Wait) continue;
      const std::uint32_t waiter = s.trace.events[i].thread;
      predict::Question question;
      question.before = {s.computation.step_of_event[i]};
      for (std::uint32_t t = 0; t < s.computation.threads.size(); ++t) {
        const auto& own = s.computation.threads[t].steps;
        if (t != waiter && !own.empty() && random() % 8 != 0)
          question.done.push_back(random() % 2 == 0 ? own.back() : own[random() % own.size()]);
      }
      const bool some = std::ranges::any_of(s.states, [&](const State& state) {
        return s.reference.next(state, waiter) == i && std::ranges::all_of(question.done, [&](causality::StepId step) {
                 return state.progress[s.computation.steps[step].thread] > s.place(s.event(step));
               });
      });
      const bool no = last.contradict(question);
      ASSERT_TRUE(!no || !some) << "seed " << seed << " event " << i << "\n" << text(s.trace);
      ++asked;
      refuted += no;
      possible += some;
    }
  }
  EXPECT_GT(possible, asked / 20) << asked;
  EXPECT_GT(refuted, asked / 20) << asked;
}

// --- lost wake-ups -------------------------------------------------------------------------------

bool is_signal(EventKind kind) { return kind == EventKind::Signal || kind == EventKind::Broadcast; }

// The wake-up behind the wait, if another thread signalled in between.
std::optional<EventNumber> signalled_wake(const trace::Trace& trace, EventNumber wait) {
  bool signalled = false;
  for (EventNumber i = wait + 1; i < trace.events.size(); ++i) {
    const trace::Event& e = trace.events[i];
    if (e.address != trace.events[wait].address) continue;
    if (e.thread == trace.events[wait].thread && e.kind == EventKind::Wake)
      return signalled ? std::optional(i) : std::nullopt;
    signalled |= is_signal(e.kind) && e.thread != trace.events[wait].thread;
  }
  return {};
}

// The definition: all other threads have ended, and the thread stands behind the wait, unsignalled.
bool waits_for_ever(const Setting& s, const State& state, EventNumber wake) {
  const std::uint32_t waiter = s.trace.events[wake].thread;
  if (s.reference.next(state, waiter) != wake || !is_unsignalled(s.trace, state, wake)) return false;
  for (std::uint32_t t = 0; t < s.computation.threads.size(); ++t)
    if (t != waiter && s.reference.next(state, t) < s.trace.events.size()) return false;
  return true;
}

TEST(LostWakeups, AreThoseOfTheDefinition) {
  unsigned waits = 0, lost = 0, undecided = 0, behind = 0;
  for (std::uint64_t seed = 1; seed <= 24000; ++seed) {
    const std::optional<trace::Trace> trace = Waiters(seed).make_whole();
    if (!trace) continue;
    const Setting s(*trace);
    std::set<std::uint64_t> expected, found; // conditions
    for (EventNumber i = 0; i < s.trace.events.size(); ++i) {
      if (s.trace.events[i].kind != EventKind::Wait) continue;
      const std::optional<EventNumber> wake = signalled_wake(s.trace, i);
      if (!wake) continue;
      ++waits;
      if (std::ranges::any_of(s.states, [&](const State& state) { return waits_for_ever(s, state, *wake); }))
        expected.insert(s.trace.events[i].address);
    }
    predict::Coverage coverage;
    for (const auto& finding : predict::find_lost_wakeups(s.trace, s.computation, *s.feasibility, {}, coverage)) {
      found.insert(s.trace.events[finding.places.front().event].address);
      behind += s.trace.events[finding.witness.next.front()].kind == EventKind::Wake;
    }
    undecided += coverage.undecided != 0;
    if (coverage.undecided == 0) ASSERT_EQ(found, expected) << "seed " << seed << "\n" << text(s.trace);
    else ASSERT_TRUE(std::ranges::includes(expected, found)) << "seed " << seed << "\n" << text(s.trace);
    lost += !expected.empty();
  }
  EXPECT_GT(lost, waits / 50) << waits;
  EXPECT_GT(behind, 20u) << lost;
  EXPECT_EQ(undecided, 0u);
}

} // namespace
} // namespace sooth::cross
