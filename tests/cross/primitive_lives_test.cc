// Locks that are initialised, used and destroyed by several threads, against the reference
// explorer: which uses may come after a destruction, and which meet an initialisation.
//
// SOOTH_CROSS=long looks at ten times as many traces.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "predict/memory/memory_errors.h"
#include "predict/races/initialisations.h"
#include "reference/reference.h"
#include "trace/verify.h"
#include "traces.h"
#include "unit/verify_builder.h"
#include "witness/check.h"

namespace sooth::cross {
namespace {

using reference::EventNumber;
using reference::Reference;
using trace::EventKind;
using witness::Model;

using Pair = Reference::Pair;

// Main creates two threads, which lock, read and write; any thread initialises or destroys a lock
// that is free at the moment. Nobody uses a lock that was destroyed.
class LockLives {
public:
  explicit LockLives(std::uint64_t seed) : random_(seed), builder_(kThreads) {}

  trace::Trace make() {
    for (std::uint32_t child = 1; child < kThreads; ++child) {
      if (pick(3) == 0) work(0);
      builder_.add(0, EventKind::Fork, 0, child);
      builder_.add(child, EventKind::ThreadStart);
    }
    for (int i = 0; i < 14; ++i) work(pick(kThreads));
    for (std::uint32_t t = 0; t < kThreads; ++t)
      if (holds_[t] != 0) give(t);
    if (pick(2) == 0) join(1 + pick(kThreads - 1));
    work(0);
    if (holds_[0] != 0) give(0);
    return with_sites();
  }

private:
  static constexpr std::uint32_t kThreads = 3;
  static constexpr std::uint64_t kLock = 0x1000, kVariable = 0x100;

  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
  bool is_free(std::uint64_t lock) const {
    return std::ranges::none_of(holds_, [&](std::uint64_t held) { return held == lock; });
  }

  void work(std::uint32_t t) {
    if (ended_[t]) return;
    const std::uint64_t lock = kLock + 8 * pick(2);
    switch (pick(6)) {
    case 0:
      if (holds_[t] != 0 || !is_free(lock)) return;
      gone_[lock] = pick(2) == 0 && !gone_[lock];
      builder_.add(t, gone_[lock] ? EventKind::LockDestroy : EventKind::LockInit, lock);
      return;
    case 1:
    case 2:
      if (holds_[t] != 0) return give(t);
      if (!is_free(lock) || gone_[lock]) return;
      builder_.add(t, EventKind::Acquire, lock);
      holds_[t] = lock;
      return;
    default: access(t, pick(2));
    }
  }
  void give(std::uint32_t t) {
    builder_.add(t, EventKind::Release, holds_[t]);
    holds_[t] = 0;
  }
  void access(std::uint32_t t, std::uint32_t variable) {
    if (pick(2) == 0) builder_.read(t, kVariable + variable, 1, values_[variable]);
    else builder_.write(t, kVariable + variable, 1, values_[variable] = pick(2));
  }
  void join(std::uint32_t child) {
    builder_.add(child, EventKind::ThreadEnd);
    builder_.add(0, EventKind::Join, 0, child);
    ended_[child] = true;
  }
  trace::Trace with_sites() {
    trace::Trace& trace = builder_.trace;
    trace.sites.resize(trace.events.size() + 1);
    for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
      trace.events[i].site = i + 1;
      trace.sites[i + 1].line = i + 1;
      trace.sites[i + 1].variable = "pthread_call"; // of the program, not of a library
    }
    return trace;
  }

  std::mt19937_64 random_;
  trace::testing::TraceBuilder builder_;
  std::array<std::uint64_t, kThreads> holds_ = {};
  std::array<bool, kThreads> ended_ = {};
  std::map<std::uint64_t, bool> gone_;
  std::array<std::uint64_t, 2> values_ = {};
};

std::uint64_t traces() {
  const char* mode = std::getenv("SOOTH_CROSS");
  return mode != nullptr && std::string_view(mode) == "long" ? 20'000 : 2'000;
}

class Comparison {
public:
  explicit Comparison(std::uint64_t seed)
      : seed_(seed), trace_(LockLives(seed).make()), computation_(causality::compute(trace_)), reference_(trace_),
        checker_(trace_) {
    const trace::VerifyReport report = trace::verify(trace_);
    EXPECT_TRUE(report.legal()) << seed << ": " << (report.legal() ? "" : report.problems[0].sentence);
  }

  // Of each thread and destruction, one use is reported.
  std::size_t destructions(Model model) {
    std::set<Pair> expected, found; // thread, destruction
    const std::set<Pair> uses = reference_.uses_after_destroy(model);
    for (const auto& [use, destroy] : uses) expected.insert({trace_.events[use].thread, destroy});
    predict::Coverage coverage;
    const auto feasibility = predict::make_feasibility(computation_, model, limits_);
    for (witness::Finding& finding :
         predict::find_memory_errors(trace_, computation_, *feasibility, limits_, coverage)) {
      finding.model = model;
      EXPECT_EQ(checker_.objection(finding).value_or(""), "") << about(model);
      const EventNumber use = finding.places[0].event, destroy = finding.places[1].event;
      if (trace_.events[destroy].kind != EventKind::LockDestroy) continue;
      EXPECT_TRUE(uses.contains({use, destroy})) << about(model);
      found.insert({trace_.events[use].thread, destroy});
    }
    EXPECT_EQ(found, expected) << about(model);
    EXPECT_EQ(coverage.undecided, 0u) << about(model);
    return found.size();
  }

  std::size_t initialisations(Model model) {
    const std::set<Pair> expected = reference_.half_made(reference_.states(model));
    std::set<Pair> found, observed; // thread, initialisation
    predict::Coverage coverage;
    const auto feasibility = predict::make_feasibility(computation_, model, limits_);
    for (witness::Finding& finding : predict::find_initialisation_races(trace_, computation_, *feasibility, coverage)) {
      if (finding.engine != "memory-model") finding.model = model;
      EXPECT_EQ(checker_.objection(finding).value_or(""), "") << about(model);
      EventNumber init = finding.places[0].event, other = finding.places[1].event;
      if (trace_.events[init].kind != EventKind::LockInit) std::swap(init, other);
      (finding.engine == "memory-model" ? observed : found).insert({trace_.events[other].thread, init});
      if (trace_.events[other].kind == EventKind::LockInit) // each meets the other
        (finding.engine == "memory-model" ? observed : found).insert({trace_.events[init].thread, other});
    }
    for (const Pair& pair : found) EXPECT_TRUE(expected.contains(pair)) << about(model);
    for (const Pair& pair : expected) EXPECT_TRUE(found.contains(pair) || observed.contains(pair)) << about(model);
    EXPECT_EQ(coverage.undecided, 0u) << about(model);
    return expected.size();
  }

private:
  std::string about(Model model) const {
    return "seed " + std::to_string(seed_) + ", model " + std::to_string(static_cast<int>(model)) + "\n" + text(trace_);
  }

  const std::uint64_t seed_;
  const trace::Trace trace_;
  const causality::Computation computation_;
  const Reference reference_;
  witness::Checker checker_;
  const predict::Limits limits_;
};

TEST(PrimitiveLives, AreAsTheReferenceSays) {
  std::size_t destroyed = 0, initialised = 0, without = 0;
  for (std::uint64_t seed = 1; seed <= traces() && !::testing::Test::HasFailure(); ++seed) {
    Comparison comparison(seed);
    for (const Model model : {Model::HappensBefore, Model::WeakHappensBeforeLocks, Model::Maximal}) {
      const std::size_t late = comparison.destructions(model), met = comparison.initialisations(model);
      destroyed += late;
      initialised += met;
      without += late + met == 0 ? 1 : 0;
    }
  }
  EXPECT_GT(destroyed, 100u);
  EXPECT_GT(initialised, 100u);
  EXPECT_GT(without, 100u);
}

} // namespace
} // namespace sooth::cross
