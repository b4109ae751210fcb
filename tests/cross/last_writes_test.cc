// What was seen under a lock that is still held (predict/question/last_writes.h), against the
// reference explorer: a question that the argument refutes has no run by the definition.
//
// The mutants are told of a trace that differs in one thing from the one that the reference knows;
// the comparison has to notice each of them.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "causality/computation/computation.h"
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
using trace::Event;
using trace::EventKind;
using trace::Trace;
using witness::Model;

constexpr std::uint64_t kLocks = 0x1000, kMemory = 0x3000;

// Two or three threads that go through sections of two locks, shared or not, and look at two
// variables there; now and then they do so without a lock.
Trace sections(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::uint32_t threads = 2 + static_cast<std::uint32_t>(seed % 2);
  const std::uint64_t values = 2 + seed % 3;
  trace::testing::TraceBuilder builder(threads);
  struct Lock {
    std::set<std::uint32_t> owners;
    bool exclusive = false;
  };
  std::map<std::uint64_t, Lock> locks;
  std::map<std::uint64_t, std::uint8_t> memory;
  while (builder.trace.events.size() < 15) {
    const auto t = static_cast<std::uint32_t>(random() % threads);
    const std::uint64_t address = kLocks + 64 * (random() % 4 == 0 ? 1 : 0);
    Lock& lock = locks[address];
    const bool held = lock.owners.contains(t), bare = random() % 8 == 0;
    if (random() % 3 == 0 || (!held && !bare)) {
      const std::uint64_t shared = address == kLocks ? 0 : std::uint64_t{trace::kLockReadWrite};
      if (held) {
        builder.add(t, lock.exclusive ? EventKind::Release : EventKind::ReleaseShared, address, shared);
        lock.owners.erase(t);
      } else if (lock.owners.empty() || (shared != 0 && !lock.exclusive && random() % 2 == 0)) {
        lock.exclusive = lock.owners.empty() && (shared == 0 || random() % 2 == 0);
        builder.add(t, lock.exclusive ? EventKind::Acquire : EventKind::AcquireShared, address, shared);
        lock.owners.insert(t);
      }
      continue;
    }
    std::uint8_t& byte = memory[random() % 3 == 0 ? 1 : 0];
    const bool write = random() % 2 == 0;
    if (write) byte = static_cast<std::uint8_t>(random() % values);
    builder.access(t, write ? EventKind::Write : EventKind::Read, kMemory + 8 * (&byte == &memory[1] ? 1 : 0), 1, byte);
  }
  return builder.trace;
}

struct Counts {
  unsigned asked = 0, refuted = 0, possible = 0;
  bool wrong = false; // something was refuted that a run has
};

// `lied`: what the argument knows. Every event has the same place in both traces.
void compare(const Trace& trace, const Trace& lied, std::uint64_t seed, Counts& counts) {
  const causality::Computation computation = causality::compute(lied);
  if (computation.step_of_event.size() != trace.events.size()) return;
  const auto feasibility = predict::make_feasibility(computation, Model::Maximal, {});
  const predict::LastWrites last(feasibility->index(), feasibility->must(lied));
  const Reference reference(trace);
  const std::set<State> states = reference.states(Model::Maximal);
  std::vector<std::uint32_t> place(trace.events.size()), so_far(trace.threads.size(), 0);
  for (EventNumber i = 0; i < trace.events.size(); ++i) place[i] = so_far[trace.events[i].thread]++;
  std::mt19937_64 random(seed);
  for (EventNumber i = 0; i < trace.events.size(); ++i) {
    const EventNumber done = static_cast<EventNumber>(random() % trace.events.size());
    if (trace.events[done].thread == trace.events[i].thread) continue;
    const causality::StepId before = computation.step_of_event[i], step = computation.step_of_event[done];
    if (before == causality::kNoStep || step == causality::kNoStep) continue;
    // Accesses of memory that nobody writes belong to the step before them.
    if (computation.steps[before].event != i || computation.steps[step].event != done) continue;
    const predict::Question question{{before}, {step}, {}, {}};
    const bool some = std::ranges::any_of(states, [&](const State& state) {
      return reference.next(state, trace.events[i].thread) == i &&
             state.progress[trace.events[done].thread] > place[done];
    });
    const bool no = last.contradict(question);
    counts.wrong |= no && some;
    ++counts.asked;
    counts.refuted += no;
    counts.possible += some;
  }
}

TEST(LastWrites, RefuteOnlyWhatNoRunHas) {
  Counts counts;
  for (std::uint64_t seed = 1; seed <= 8000; ++seed) {
    const Trace trace = sections(seed);
    compare(trace, trace, seed, counts);
    ASSERT_FALSE(counts.wrong) << "seed " << seed << "\n" << text(trace);
  }
  EXPECT_GT(counts.possible, counts.asked / 10) << counts.asked;
  EXPECT_GT(counts.refuted, counts.asked / 20) << counts.asked;
}

// --- mutants -------------------------------------------------------------------------------------

bool is_noticed(const std::function<void(Trace&, std::uint64_t)>& lie) {
  Counts counts;
  for (std::uint64_t seed = 1; seed <= 8000 && !counts.wrong; ++seed) {
    const Trace trace = sections(seed);
    Trace lied = trace;
    lie(lied, seed);
    compare(trace, lied, seed, counts);
  }
  return counts.wrong;
}

TEST(LastWritesMutants, SharedSectionsTakenForExclusive) {
  EXPECT_TRUE(is_noticed([](Trace& trace, std::uint64_t) {
    for (Event& e : trace.events) {
      if (e.kind == EventKind::AcquireShared) e.kind = EventKind::Acquire;
      if (e.kind == EventKind::ReleaseShared) e.kind = EventKind::Release;
    }
  }));
}

TEST(LastWritesMutants, TwoLocksTakenForOne) {
  EXPECT_TRUE(is_noticed([](Trace& trace, std::uint64_t) {
    for (Event& e : trace.events)
      if (e.size == 0) e.address = kLocks;
  }));
}

// Not all writes of a value are looked at: one that nobody saw is taken for one of another value.
TEST(LastWritesMutants, AWriteOfTheSameValueThatIsNotLookedAt) {
  EXPECT_TRUE(is_noticed([](Trace& trace, std::uint64_t seed) {
    const auto first = trace.events.begin() + static_cast<std::ptrdiff_t>(seed % trace.events.size());
    for (auto write = first; write != trace.events.end(); ++write) {
      if (write->kind != EventKind::Write) continue;
      const auto next = std::find_if(write + 1, trace.events.end(),
                                     [&](const Event& e) { return e.size != 0 && e.address == write->address; });
      if (next != trace.events.end() && next->kind == EventKind::Read) continue;
      write->value = 77;
      return;
    }
  }));
}

// What a thread has written itself in its section is what it sees there.
TEST(LastWritesMutants, AThreadsOwnWriteTakenForAReadOfWhatWasThere) {
  EXPECT_TRUE(is_noticed([](Trace& trace, std::uint64_t) {
    std::map<std::uint64_t, std::uint64_t> memory;
    for (Event& e : trace.events) {
      if (e.kind != EventKind::Write) continue;
      const auto known = memory.find(e.address);
      if (known != memory.end() && known->second == e.value && e.thread == 1) e.kind = EventKind::Read;
      memory[e.address] = e.value;
    }
  }));
}

} // namespace
} // namespace sooth::cross
