// The reference itself: does it agree with the examples and theorems of maximal models?
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "reference/reference.h"
#include "trace/verify.h"
#include "traces.h"
#include "unit/verify_builder.h"

namespace sooth::cross {
namespace {

using reference::Reference;
using reference::State;
using trace::EventKind;
using trace::testing::TraceBuilder;
using witness::Model;

constexpr std::uint64_t kX = 0x10, kY = 0x20, kLock = 0x30;
constexpr Model kModels[] = {Model::HappensBefore, Model::HappensBeforeLocks, Model::WeakHappensBefore,
                             Model::WeakHappensBeforeLocks, Model::Maximal};

std::set<Reference::Pair> races(const trace::Trace& trace, Model model) {
  const Reference reference(trace);
  return reference.races(reference.states(model));
}

// Fig. 1(a): thread 1 writes y, then writes and reads x inside a lock block; thread 2 writes x inside its own, then y.
trace::Trace figure_1a() {
  TraceBuilder b(2);
  b.write(0, kY, 1, 1);
  b.add(0, EventKind::Acquire, kLock);
  b.write(0, kX, 1, 1);
  b.read(0, kX, 1, 1);
  b.add(0, EventKind::Release, kLock);
  b.add(1, EventKind::Acquire, kLock);
  b.write(1, kX, 1, 2);
  b.add(1, EventKind::Release, kLock);
  b.write(1, kY, 1, 2);
  return b.trace;
}
constexpr Reference::Pair kRaceA{0, 8};

// Fig. 1(b): thread 1 writes the same value to x in two lock blocks, with y between them; thread 2 reads x, then
// writes y, inside one.
trace::Trace figure_1b(bool cut_off) {
  TraceBuilder b(2);
  b.add(0, EventKind::Acquire, kLock);
  b.write(0, kX, 1, 1);
  b.add(0, EventKind::Release, kLock);
  b.write(0, kY, 1, 1);
  b.add(0, EventKind::Acquire, kLock);
  b.write(0, kX, 1, 1);
  b.add(0, EventKind::Release, kLock);
  b.add(1, EventKind::Acquire, kLock);
  b.read(1, kX, 1, 1);
  if (cut_off) return b.trace;
  b.write(1, kY, 1, 2);
  b.add(1, EventKind::Release, kLock);
  return b.trace;
}
constexpr Reference::Pair kRaceB{3, 9};

TEST(Reference, Figure1aIsARaceUnderTheWeakModels) {
  for (const Model model : kModels) {
    const bool weak = model >= Model::WeakHappensBefore;
    EXPECT_EQ(races(figure_1a(), model).contains(kRaceA), weak) << static_cast<int>(model);
  }
}

TEST(Reference, Figure1bIsARaceUnderTheMaximalModelAlone) {
  for (const Model model : kModels)
    EXPECT_EQ(races(figure_1b(false), model).contains(kRaceB), model == Model::Maximal) << static_cast<int>(model);
}

TEST(Reference, FirstAcquireOfTheCutOffFigureCannotMoveAway) {
  EXPECT_TRUE(races(figure_1b(true), Model::Maximal).empty());
  EXPECT_FALSE(Reference(figure_1b(true)).every_lock_released());
}

TEST(Reference, StatesAreThoseOfAllRuns) {
  const SmallShape shape{.threads = 2, .events = 5};
  std::uint64_t number = 0;
  small_traces(shape, [&](const trace::Trace& trace) {
    if (++number % 97 != 0) return true;
    const Reference reference(trace);
    for (const Model model : kModels) {
      std::set<State> of_runs;
      reference.runs(model, [&](const auto&, const State& state) { of_runs.insert(state); });
      EXPECT_EQ(of_runs, reference.states(model)) << text(trace);
    }
    return true;
  });
}

// Every trace is one of its own runs, and each model allows what the stricter one allows (Theorems 2 to 7).
TEST(Reference, EachModelAllowsWhatTheStricterOneAllows) {
  const auto check = [](const trace::Trace& trace) {
    const Reference reference(trace);
    State whole = reference.initial();
    for (const trace::Event& e : trace.events) whole = reference.after(whole, e.thread);
    std::set<State> stricter;
    for (const Model model : kModels) {
      std::set<State> states = reference.states(model);
      EXPECT_TRUE(states.contains(whole)) << text(trace);
      for (const State& state : stricter) EXPECT_TRUE(states.contains(state)) << text(trace);
      stricter = std::move(states);
    }
    return !::testing::Test::HasFailure();
  };
  small_traces({.threads = 2, .events = 5}, check);
  small_traces({.threads = 3, .events = 4}, check);
  for (std::uint64_t seed = 0; seed < 300 && !::testing::Test::HasFailure(); ++seed)
    check(random_trace(seed, random_shape(seed)));
}

TEST(Traces, AreLegal) {
  std::uint64_t number = 0;
  small_traces({.threads = 3, .events = 5}, [&](const trace::Trace& trace) {
    if (++number % 11 == 0) {
      EXPECT_TRUE(trace::verify(trace).legal()) << text(trace);
    }
    return true;
  });
  EXPECT_GT(number, 10'000u);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const trace::Trace trace = random_waiting_trace(seed);
    EXPECT_TRUE(trace::verify(trace).legal()) << text(trace);
  }
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const trace::Trace trace = random_trace(seed, random_shape(seed, seed % 2 == 0));
    const trace::VerifyReport report = trace::verify(trace);
    EXPECT_TRUE(report.legal()) << text(trace) << (report.problems.empty() ? "" : report.problems[0].sentence);
  }
}

} // namespace
} // namespace sooth::cross
