// The offline twin: a trace gives the verdicts that the knowledge vectors give when they are fed by hand.
#include <gtest/gtest.h>

#include <algorithm>

#include "logic/names/symbols.h"
#include "logic/resolve.h"
#include "predict/atomicity/atomicity.h"
#include "predict/question/feasibility.h"
#include "properties/monitors.h"
#include "unit/knowledge_run.h"
#include "unit/predict_case.h"

namespace sooth::properties {
namespace {

using knowledge::Do;
using knowledge::Step;
using knowledge::Steps;
using trace::EventKind;

// The steps as a trace of a program with the variables of test_program().
class Recorded : public predict::testing::Case {
public:
  Recorded(const Steps& steps, std::uint32_t threads) : Case(threads) {
    for (const char* name : {"x", "y", "u", "v", "flag", "checking", "saving"})
      trace.globals.push_back({address_of(name), 4, name, "int", "", 0, 0});
    trace.initial_known = true;
    for (std::uint32_t t = 1; t < threads; ++t) fork(0, t);
    for (const Step& step : steps) take(step);
  }

  MonitorAnswer answer(const std::string& monitors) const {
    const auto file = logic::read_properties(monitors, "test.prop", logic::symbols_of_trace(trace));
    EXPECT_TRUE(file.ok()) << file.error().text();
    auto answer = check_monitors(trace, causality::compute(trace), file.value());
    EXPECT_TRUE(answer.ok());
    witness::Checker checker(trace);
    for (const witness::Finding& finding : answer.value().findings)
      EXPECT_EQ(checker.objection(finding).value_or(""), "");
    return std::move(answer.value());
  }

  // The events after which a monitor has newly failed.
  std::vector<std::string> findings(const std::string& monitors) const {
    std::vector<std::string> out;
    for (const witness::Finding& finding : answer(monitors).findings) {
      const trace::Event& event = trace.events[finding.places[0].event];
      out.push_back(finding.property + ": thread " + std::to_string(event.thread) + " " +
                    std::string(trace::kind_name(event.kind)) + " " + name_at(event.address));
      notes.push_back(finding.note);
    }
    return out;
  }
  mutable std::vector<std::string> notes;

  // Whether the one violation that there is was observed, or may only have been.
  bool is_observed(const std::string& monitor) const {
    const MonitorAnswer found = answer(monitor);
    EXPECT_EQ(found.findings.size(), 1u);
    if (found.findings.empty()) return false;
    const witness::Finding& finding = found.findings[0];
    EXPECT_EQ(finding.status == witness::Status::Predicted, finding.run.unordered.size() == 2);
    return finding.status == witness::Status::Observed;
  }
  void set(std::uint32_t thread, const std::string& name, std::uint64_t value) {
    write(thread, address_of(name), 4, value);
  }
  // As if the trace had been recorded for the monitors.
  void number_all() {
    trace.flags |= trace::kOneClock;
    for (trace::Event& event : trace.events)
      if (!event.has(trace::kFailed)) event.flags |= trace::kTicket;
  }

private:
  static constexpr const char* kNames[] = {"x", "y", "u", "v", "flag", "checking", "saving"};
  static std::uint64_t address_of(const std::string& name) {
    return 0x1000 + 8 * static_cast<std::uint64_t>(std::ranges::find(kNames, name) - std::begin(kNames));
  }
  static std::string name_at(std::uint64_t address) { return kNames[(address - 0x1000) / 8]; }

  std::uint64_t string(const std::string& text) {
    const auto at = std::ranges::find(trace.strings, text);
    if (at != trace.strings.end()) return static_cast<std::uint64_t>(at - trace.strings.begin());
    trace.strings.push_back(text);
    return trace.strings.size() - 1;
  }

  void take(const Step& step) {
    const auto bits = [](std::int64_t value) { return std::uint64_t{static_cast<std::uint32_t>(value)}; };
    switch (step.what) {
    case Do::Read: read(step.thread, address_of(step.target), 4, bits(values_[step.target])); break;
    case Do::Write:
      values_[step.target] = step.value;
      write(step.thread, address_of(step.target), 4, bits(step.value));
      break;
    case Do::Internal:
      add(step.thread, EventKind::User, string(step.target), static_cast<std::uint64_t>(step.value));
      break;
    case Do::BlockBegin: add(step.thread, EventKind::AtomicBegin, string(step.target)); break;
    case Do::BlockEnd: add(step.thread, EventKind::AtomicEnd, string(step.target)); break;
    case Do::Name: add(step.thread, EventKind::ThreadName, string(step.target)); break;
    default: FAIL() << "not a step of these tests";
    }
  }

  std::map<std::string, std::int64_t> values_;
};

using Found = std::vector<std::string>;

Steps bank(bool violating) {
  Steps steps{{2, Do::BlockBegin, "transfer", 0}};
  const auto add = [&](std::initializer_list<Step> more) { steps.insert(steps.end(), more); };
  if (!violating) add({{1, Do::Read, "checking", 0}});
  add({{2, Do::Read, "checking", 0}, {2, Do::Write, "checking", -10}});
  if (violating) add({{1, Do::Read, "checking", 0}});
  add({{1, Do::Read, "saving", 0}, {2, Do::Read, "saving", 0}, {2, Do::Write, "saving", 10}});
  add({{2, Do::BlockEnd, "transfer", 0}});
  return steps;
}

TEST(PredictMonitors, TheBanksTwoExecutions) {
  for (const char* monitor : {"monitor atomicity of transfer", "monitor atomicity of transfer over checking, saving"}) {
    EXPECT_EQ(Recorded(bank(false), 3).findings(monitor), Found{}) << monitor;
    EXPECT_EQ(Recorded(bank(true), 3).findings(monitor), Found{"atomicity of transfer: thread 2 write saving"})
        << monitor;
  }
}

// The four interleavings that `sooth check` calls broken in the recorded run are violations for the monitor, too, and the others are not.
TEST(PredictMonitors, BlocksThatTheRecordedRunBreaks) {
  for (const std::string kinds : {"rwr", "wwr", "rww", "wrw", "rrr", "rrw", "wrr"}) {
    const auto access = [&](std::uint32_t thread, std::size_t i) {
      return Step{thread, kinds[i] == 'r' ? Do::Read : Do::Write, "x", static_cast<std::int64_t>(i + 1)};
    };
    const Steps steps{{1, Do::Write, "x", 9}, {2, Do::BlockBegin, "transfer", 0}, access(2, 0), access(1, 1),
                      access(2, 2),           {2, Do::BlockEnd, "transfer", 0}};
    const Recorded run(steps, 3);
    const causality::Computation computation = causality::compute(run.trace);
    predict::Coverage coverage;
    bool observed = false;
    for (const witness::Finding& finding :
         predict::find_atomicity(run.trace, computation,
                                 *predict::make_feasibility(computation, witness::Model::Maximal, {}), {}, coverage))
      observed |= finding.status == witness::Status::Observed;
    EXPECT_EQ(observed, !run.findings("monitor atomicity of transfer").empty()) << kinds;
    EXPECT_EQ(observed, kinds != "rrr" && kinds != "rrw" && kinds != "wrr") << kinds;
  }
}

// All orders of the second execution that keep its computation.
TEST(PredictMonitors, EveryOrderOfTheSameComputationGivesTheSameVerdict) {
  const knowledge::Computation computation(bank(true));
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    Steps steps;
    for (const std::size_t step : computation.linearisation(seed)) steps.push_back(computation.steps()[step]);
    EXPECT_EQ(Recorded(steps, 3).findings("monitor atomicity of transfer"),
              Found{"atomicity of transfer: thread 2 write saving"});
  }
}

TEST(PredictMonitors, ARaceOnAVariableAndWhatWasKnown) {
  const Steps steps{{1, Do::Name, "writer", 0}, {2, Do::Name, "reader", 0}, {2, Do::Write, "y", 4},
                    {2, Do::Internal, "a", 1},  {1, Do::Read, "y", 0},      {1, Do::Write, "x", 3}};
  const Recorded recorded(steps, 3);
  EXPECT_EQ(recorded.findings("monitor fresh at writer: x == 0 || x > @reader(y)"), Found{"fresh: thread 1 write x"});
  ASSERT_EQ(recorded.notes.size(), 1u);
  // The reader's start, its name, and the write; it has told more since, of which nobody has heard.
  EXPECT_NE(recorded.notes[0].find("x = 3, @reader(y) = 4 (thread 2, after 3 events)"), std::string::npos)
      << recorded.notes[0];
  EXPECT_EQ(recorded.findings("monitor datarace on y"), Found{"datarace on y: thread 1 read y"});
  EXPECT_EQ(recorded.findings("monitor datarace on x"), Found{});
}

constexpr const char* kSmall = "monitor small at any t: x <= 5";
constexpr const char* kOfOne = "monitor small at 1: x <= 5";
constexpr std::uint64_t kLock = 0x9000;

TEST(PredictMonitors, NothingIsObservedThatRestsOnAnUnknownOrder) {
  Recorded racing({}, 3);
  racing.set(1, "x", 1);
  racing.set(2, "x", 9);
  EXPECT_FALSE(racing.is_observed(kSmall));
  EXPECT_FALSE(racing.answer(kSmall).bounds.empty());

  // The same, with a lock around each.
  Recorded locked({}, 3);
  for (const auto& [thread, value] : {std::pair(1u, 1u), std::pair(2u, 9u)}) {
    locked.lock(thread, kLock);
    locked.set(thread, "x", value);
    locked.unlock(thread, kLock);
  }
  EXPECT_TRUE(locked.is_observed(kSmall));
  EXPECT_TRUE(locked.answer(kSmall).bounds.empty());

  racing.number_all();
  EXPECT_TRUE(racing.is_observed(kSmall));
  EXPECT_TRUE(racing.answer(kSmall).bounds.empty());
}

TEST(PredictMonitors, WhatHappenedBeforeTheFirstUnknownOrderIsCertain) {
  Recorded before({}, 3);
  before.set(1, "x", 9);
  before.set(1, "y", 1);
  before.set(2, "y", 2);
  EXPECT_TRUE(before.is_observed(kOfOne)); // nobody is asked what became of y
  EXPECT_TRUE(before.is_observed("monitor small at 1: x <= 5 || y > 9"));

  // The later write may have come before both of the other thread's, not only before the second.
  Recorded behind({}, 3);
  behind.set(1, "x", 9);
  behind.lock(1, kLock);
  behind.unlock(1, kLock);
  behind.set(1, "x", 1);
  behind.set(2, "x", 2);
  EXPECT_FALSE(behind.is_observed(kOfOne));

  // Here it has heard of the first.
  Recorded heard({}, 3);
  heard.set(1, "x", 9);
  heard.lock(1, kLock);
  heard.unlock(1, kLock);
  heard.lock(2, kLock);
  heard.unlock(2, kLock);
  heard.set(1, "x", 1);
  heard.set(2, "x", 2);
  EXPECT_TRUE(heard.is_observed(kOfOne));
  EXPECT_FALSE(heard.answer(kOfOne).bounds.empty());
}

TEST(PredictMonitors, ATraceThatWasRecordedForOtherMonitorsTellsTheirOrderOnly) {
  Recorded other({}, 3);
  for (const char* name : {"x", "y"}) {
    other.set(1, name, 1);
    other.set(2, name, 9);
  }
  other.number_all();
  for (trace::Event& event : other.trace.events)
    if (event.kind == EventKind::Write && event.address != 0x1000) event.flags &= ~trace::kTicket;
  EXPECT_TRUE(other.is_observed(kSmall));
  EXPECT_FALSE(other.is_observed("monitor small at any t: y <= 5"));
  const MonitorAnswer answer = other.answer("monitor small at any t: y <= 5");
  ASSERT_FALSE(answer.bounds.empty());
  EXPECT_NE(answer.bounds[0].find("recorded with this --property"), std::string::npos) << answer.bounds[0];
}

// Two accesses that met: the reader saw what the second write had overwritten. If each has its number, that is their order.
TEST(PredictMonitors, NumbersAreFollowedAlsoWhereAReadSawSomethingElse) {
  Recorded met({}, 3);
  met.set(1, "x", 1);
  met.set(1, "x", 2);
  met.access(2, EventKind::ExternalWrite, 0x1000, 4, 1);
  met.read(2, 0x1000, 4, 1);
  met.set(1, "x", 9);
  EXPECT_EQ(met.answer(kSmall).findings.size(), 0u);
  EXPECT_FALSE(met.answer(kSmall).bounds.empty());
  met.number_all();
  EXPECT_TRUE(met.is_observed(kSmall));
}

TEST(PredictMonitors, NobodyKnowsWhenATryFailed) {
  Recorded tried({}, 3);
  tried.lock(1, kLock);
  tried.add(2, EventKind::Acquire, kLock, trace::kLockTry, trace::kFailed);
  tried.unlock(1, kLock);
  tried.set(2, "x", 9);
  tried.number_all(); // it has none
  EXPECT_FALSE(tried.is_observed(kSmall));
}

// Readers may come in any order, and what another memory holds is nobody's business.
TEST(PredictMonitors, ReadersAreNotOrderedAndNeedNotBe) {
  Recorded readers({{1, Do::Read, "x", 0}, {2, Do::Read, "x", 0}, {1, Do::Write, "u", 0}, {2, Do::Write, "u", 0}}, 3);
  readers.set(1, "y", 9);
  EXPECT_TRUE(readers.is_observed("monitor small at any t: x + y <= 5"));
  EXPECT_FALSE(readers.is_observed("monitor small at any t: x + y <= 5 over *"));
}

} // namespace
} // namespace sooth::properties
