// The offline twin: a trace gives the verdicts that the knowledge vectors give when they are fed by hand.
#include <gtest/gtest.h>

#include <algorithm>

#include "logic/resolve.h"
#include "logic/symbols.h"
#include "predict/monitors.h"
#include "unit/knowledge_run.h"
#include "unit/predict_case.h"

namespace sooth::predict {
namespace {

using knowledge::Do;
using knowledge::Step;
using knowledge::Steps;
using trace::EventKind;

// The steps as a trace of a program with the variables of test_program().
class Recorded : public testing::Case {
public:
  Recorded(const Steps& steps, std::uint32_t threads) : Case(threads) {
    for (const char* name : {"x", "y", "u", "v", "flag", "checking", "saving"})
      trace.globals.push_back({address_of(name), 4, name, "int", "", 0, 0});
    trace.initial_known = true;
    for (std::uint32_t t = 1; t < threads; ++t) fork(0, t);
    for (const Step& step : steps) take(step);
  }

  // The events after which a monitor has newly failed.
  std::vector<std::string> findings(const std::string& monitors) const {
    const auto file = logic::read_properties(monitors, "test.prop", logic::symbols_of_trace(trace));
    EXPECT_TRUE(file.ok()) << file.error().text();
    const auto answer = check_monitors(trace, causality::compute(trace), file.value());
    EXPECT_TRUE(answer.ok());
    std::vector<std::string> out;
    witness::Checker checker(trace);
    for (const witness::Finding& finding : answer.value().findings) {
      EXPECT_EQ(checker.objection(finding).value_or(""), "");
      const trace::Event& event = trace.events[finding.places[0].event];
      out.push_back(finding.property + ": thread " + std::to_string(event.thread) + " " +
                    std::string(trace::kind_name(event.kind)) + " " + name_at(event.address));
      notes.push_back(finding.note);
    }
    return out;
  }
  mutable std::vector<std::string> notes;

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

} // namespace
} // namespace sooth::predict
