// Assertions that fail in another run: by hand, against the plain definition on random traces, and
// witnesses that the checker must refuse.
#include <cstdlib>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "predict/memory/assertions.h"
#include "trace/program/checks.h"
#include "unit/predict_case.h"

namespace sooth::predict {
namespace {

using trace::CheckOperation;
using witness::Finding;

constexpr std::uint64_t kX = 0x100, kY = 0x200, kLock = 0x1000;

std::uint32_t word(CheckOperation operation, unsigned bits, unsigned index = 0) {
  return static_cast<std::uint32_t>(operation) | bits << 8 | index << 16;
}

class Asserting : public testing::Case {
public:
  explicit Asserting(std::uint32_t threads) : Case(threads) { trace.checks.emplace_back(); }

  // A site at which reading anything but `wanted` ends the program.
  std::uint32_t wants(std::uint32_t wanted) {
    return add_check({word(CheckOperation::Load, 32), word(CheckOperation::Constant, 32), wanted, 0,
                      word(CheckOperation::NotEqual, 1)},
                     1);
  }
  // Two sites: the sum has to be so.
  std::uint32_t wants_sum(std::uint32_t wanted) {
    return add_check({word(CheckOperation::Load, 32, 0), word(CheckOperation::Load, 32, 1),
                      word(CheckOperation::Add, 32), word(CheckOperation::Constant, 32), wanted, 0,
                      word(CheckOperation::NotEqual, 1)},
                     2);
  }
  void check(std::uint32_t thread, std::uint64_t address, std::uint32_t value, std::uint32_t at) {
    read(thread, address, 4, value).site = at;
  }
  void set(std::uint32_t thread, std::uint64_t address, std::uint32_t value) { write(thread, address, 4, value); }
  void begins_with(std::uint64_t address, std::uint8_t value) {
    trace.initial_known = true;
    trace.globals.push_back({address, 4, "global", "int", "", 0, 0});
    trace.initial.push_back({address, {value, 0, 0, 0}});
  }

  std::vector<Finding> found(witness::Model model = witness::Model::Maximal) {
    return find([&](const auto& t, const auto& c, const auto& f, const auto& limits,
                    auto& coverage) { return find_assertions(t, c, f, model, limits, coverage); },
                model);
  }

private:
  std::uint32_t add_check(std::vector<std::uint32_t> condition, std::uint32_t loads) {
    trace::Check check{"abort", {}, std::move(condition)};
    for (std::uint32_t i = 0; i < loads; ++i) check.loads.push_back(site("a.c", 10 + i, "f", i == 0 ? "x" : "y"));
    trace.sites[check.loads[0]].check = static_cast<std::uint32_t>(trace.checks.size());
    trace.checks.push_back(check);
    return check.loads[0];
  }
};

Asserting set_and_cleared(bool in_one_section) {
  Asserting c(2);
  c.begins_with(kX, 0);
  c.lock(0, kLock);
  c.set(0, kX, 1);
  if (!in_one_section) {
    c.unlock(0, kLock);
    c.lock(0, kLock);
  }
  c.set(0, kX, 0);
  c.unlock(0, kLock);
  const std::uint32_t at = c.wants(0);
  c.lock(1, kLock);
  c.check(1, kX, 0, at);
  c.unlock(1, kLock);
  return c;
}

TEST(Assertions, FailBetweenTwoCriticalSections) {
  Asserting c = set_and_cleared(false);
  const auto findings = c.found();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, witness::FindingKind::Assertion);
  EXPECT_EQ(findings[0].status, witness::Status::Predicted);
  EXPECT_EQ(findings[0].note, "In that run `x` is 1 there, and the program calls abort.");
}

TEST(Assertions, HoldIfTheValueIsRestoredUnderTheLock) {
  Asserting c = set_and_cleared(true);
  EXPECT_TRUE(c.found().empty());
  EXPECT_EQ(c.coverage.undecided, 0u);
}

TEST(Assertions, OnlyModelsThatLetAReadSeeAnotherValueHaveThem) {
  for (const auto model : {witness::Model::HappensBefore, witness::Model::WeakHappensBeforeLocks}) {
    Asserting c = set_and_cleared(false);
    EXPECT_TRUE(c.found(model).empty());
  }
}

TEST(Assertions, FailOnWhatTheVariableBeganWith) {
  for (const bool known : {true, false}) {
    Asserting c(2);
    if (known) c.begins_with(kX, 0);
    c.lock(0, kLock);
    c.set(0, kX, 7);
    c.unlock(0, kLock);
    c.lock(1, kLock);
    c.check(1, kX, 7, c.wants(7));
    c.unlock(1, kLock);
    EXPECT_EQ(c.found().size(), known ? 1u : 0u); // nothing proves what unknown memory holds
  }
}

TEST(Assertions, SumsAreComputedFromWhatMemoryHoldsAtOneMoment) {
  for (const bool in_one_section : {false, true}) {
    Asserting c(2);
    c.begins_with(kX, 100);
    c.begins_with(kY, 0);
    c.lock(0, kLock);
    c.set(0, kX, 90);
    if (!in_one_section) {
      c.unlock(0, kLock);
      c.lock(0, kLock);
    }
    c.set(0, kY, 10);
    c.unlock(0, kLock);
    const std::uint32_t at = c.wants_sum(100);
    c.lock(1, kLock);
    c.check(1, kX, 90, at);
    c.check(1, kY, 10, at + 1);
    c.unlock(1, kLock);
    EXPECT_EQ(c.found().size(), in_one_section ? 0u : 1u);
    EXPECT_EQ(c.coverage.undecided, 0u);
  }
}

TEST(Assertions, ASecondLoadThatWasNotRecordedMakesNoCheck) {
  Asserting c(2);
  c.set(0, kX, 90);
  c.set(0, kY, 10);
  const std::uint32_t at = c.wants_sum(100);
  c.check(1, kX, 90, at);
  c.lock(1, kLock);
  c.check(1, kY, 10, at + 1); // something is between them: the pass never writes that
  EXPECT_TRUE(c.found().empty());
}

TEST(Assertions, WhatFailedInTheRecordedRunIsNotPredicted) {
  Asserting c(2);
  c.begins_with(kX, 0);
  const std::uint32_t at = c.wants(0);
  c.check(1, kX, 0, at); // this one held
  c.set(0, kX, 1);
  c.check(1, kX, 1, at);
  EXPECT_TRUE(c.found().empty());
}

TEST(Assertions, TheCheckerRefusesWhatDoesNotFail) {
  Asserting c = set_and_cleared(false);
  const Finding good = c.found().at(0);
  witness::Checker checker(c.trace);
  EXPECT_FALSE(checker.objection(good));

  Finding at_the_write = good;
  at_the_write.witness.next = {1};
  EXPECT_TRUE(checker.objection(at_the_write));
  Finding as_recorded = good; // the thread comes last, and sees 0
  as_recorded.witness.observed = 7;
  as_recorded.witness.steps.clear();
  EXPECT_TRUE(checker.objection(as_recorded));
  Finding observed = good;
  observed.status = witness::Status::Observed;
  EXPECT_TRUE(checker.objection(observed));

  trace::Trace other = c.trace; // the same run, and a program that wants 1
  other.checks[1].condition[2] = 1;
  EXPECT_TRUE(witness::Checker(other).objection(good));
  other.checks[1].condition.clear();
  EXPECT_TRUE(witness::Checker(other).objection(good));
  other = c.trace;
  other.sites[other.events[good.witness.next[0]].site].check = 0;
  EXPECT_TRUE(witness::Checker(other).objection(good));
}

// The plain definition: all states that a run of the maximal model reaches.
class PlainRuns {
public:
  explicit PlainRuns(const trace::Trace& trace) : trace_(trace), own_(trace.threads.size()) {
    for (std::uint32_t i = 0; i < trace.events.size(); ++i) own_[trace.events[i].thread].push_back(i);
    explore({std::vector<std::size_t>(own_.size(), 0), 0, -1});
  }
  const std::set<std::uint32_t>& failing() const { return failing_; } // sites

private:
  struct State {
    std::vector<std::size_t> done;
    std::uint64_t x = 0;
    int owner = -1;
    friend auto operator<=>(const State&, const State&) = default;
  };
  void explore(const State& state) {
    if (!seen_.insert(state).second) return;
    for (std::size_t thread = 0; thread < own_.size(); ++thread) {
      if (state.done[thread] == own_[thread].size()) continue;
      const trace::Event& e = trace_.events[own_[thread][state.done[thread]]];
      State next = state;
      ++next.done[thread];
      switch (e.kind) {
      case trace::EventKind::Read:
        if (e.site != 0 && state.x != trace_.checks[trace_.sites[e.site].check].condition[2]) failing_.insert(e.site);
        if (e.value != state.x) continue;
        break;
      case trace::EventKind::Write: next.x = e.value; break;
      case trace::EventKind::Acquire:
        if (state.owner != -1) continue;
        next.owner = static_cast<int>(thread);
        break;
      default: next.owner = -1; break;
      }
      explore(next);
    }
  }
  const trace::Trace& trace_;
  std::vector<std::vector<std::uint32_t>> own_;
  std::set<State> seen_;
  std::set<std::uint32_t> failing_;
};

// A random run of random threads, whose reads are checks of what they see.
Asserting random_run(std::mt19937& random) {
  const auto below = [&](unsigned n) { return static_cast<std::uint32_t>(random() % n); };
  const std::uint32_t threads = 2 + below(2);
  Asserting c(threads);
  c.begins_with(kX, 0);
  c.read(0, kX, 4, 0); // the models know what a variable begins with if somebody has seen it
  std::uint32_t x = 0;
  int owner = -1;
  for (unsigned i = 0; i < 14; ++i) {
    const std::uint32_t thread = below(threads);
    const bool inside = owner == static_cast<int>(thread);
    const std::uint32_t what = below(6);
    if (what < 2 && !inside && owner == -1) {
      c.lock(thread, kLock);
      owner = static_cast<int>(thread);
    } else if (what < 2 && inside) {
      c.unlock(thread, kLock);
      owner = -1;
    } else if (what < 4) {
      x = below(3);
      c.set(thread, kX, x);
    } else if (what == 4) {
      c.check(thread, kX, x, c.wants(x));
    } else {
      c.read(thread, kX, 4, x);
    }
  }
  if (owner != -1) c.unlock(static_cast<std::uint32_t>(owner), kLock);
  return c;
}

TEST(Assertions, AgreeWithThePlainDefinitionOnRandomTraces) {
  std::mt19937 random(18);
  std::size_t failing = 0, holding = 0, undecided = 0;
  const int traces = std::getenv("SOOTH_CROSS") != nullptr ? 20000 : 600;
  for (int i = 0; i < traces; ++i) {
    Asserting c = random_run(random);
    std::set<std::uint32_t> found;
    for (const Finding& finding : c.found()) found.insert(c.trace.events[finding.places[0].event].site);
    const PlainRuns plain(c.trace);
    for (const std::uint32_t site : found) EXPECT_TRUE(plain.failing().contains(site)) << i;
    if (c.coverage.undecided == 0) {
      EXPECT_EQ(found, plain.failing()) << i;
    }
    undecided += c.coverage.undecided == 0 ? 0 : 1;
    failing += plain.failing().size();
    holding += c.trace.checks.size() - 1 - plain.failing().size();
  }
  EXPECT_GT(failing, 200u);
  EXPECT_GT(holding, 200u);
  EXPECT_LT(undecided, static_cast<std::size_t>(traces) / 10);
}

} // namespace
} // namespace sooth::predict
