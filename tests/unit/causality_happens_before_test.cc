// The model hb and the property engine on traces made by hand: the papers' examples, blocks, holds, names; and every run of
// random traces before the checker.
#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "causality/models/model.h"
#include "explore/count.h"
#include "trace/verify.h"
#include "unit/property_program.h"
#include "witness/check.h"

namespace sooth {
namespace {

using testing::kLanding;
using testing::landing;
using trace::EventKind;
using Program = testing::PropertyProgram;

TEST(HappensBefore, LandingIsObservedSafeAndPredictedUnsafeInTwoRunsOfThreeOnSixStates) {
  Program p = landing(false);
  const properties::PropertyAnswer answer = p.check(kLanding);
  ASSERT_EQ(answer.findings.size(), 1u);
  EXPECT_EQ(answer.findings[0].status, witness::Status::Predicted);
  EXPECT_EQ(answer.counted->cuts, 6u);
  EXPECT_EQ(answer.counted->runs.text(), "3");
  EXPECT_EQ(answer.counted->violating.at(0).text(), "2");
  EXPECT_EQ(answer.relevant_events, 3u);
  EXPECT_TRUE(answer.complete);
  EXPECT_TRUE(answer.remarks.empty());
}

TEST(HappensBefore, ALockAroundBothMakesLandingSafe) {
  Program p(3, {{"landing", 0}, {"approved", 0}, {"radio", 1}});
  p.add(1, EventKind::Acquire, 0x9000);
  p.get(1, "radio", 1);
  p.set(1, "approved", 1);
  p.set(1, "landing", 1);
  p.add(1, EventKind::Release, 0x9000);
  p.add(2, EventKind::Acquire, 0x9000);
  p.set(2, "radio", 0);
  p.add(2, EventKind::Release, 0x9000);
  const properties::PropertyAnswer answer = p.check(kLanding);
  EXPECT_TRUE(answer.findings.empty());
  EXPECT_EQ(answer.counted->runs.text(), "1");
}

TEST(HappensBefore, Example2HasOneViolatingRunOfThreeOnSevenStates) {
  Program p(3, {{"x", -1}, {"y", 0}, {"z", 0}});
  p.get(1, "x", -1);
  p.set(1, "x", 0);
  p.get(1, "x", 0); // for y = x + 1
  p.get(2, "x", 0);
  p.set(2, "z", 1);
  p.get(2, "x", 0);
  p.set(2, "x", 1);
  p.set(1, "y", 1);
  const properties::PropertyAnswer answer = p.check("property order: (x > 0) -> [y == 0, y > z)", explore::Until::All);
  ASSERT_EQ(answer.findings.size(), 1u);
  EXPECT_EQ(answer.findings[0].status, witness::Status::Predicted);
  EXPECT_EQ(answer.counted->cuts, 7u);
  EXPECT_EQ(answer.counted->runs.text(), "3");
  EXPECT_EQ(answer.counted->violating.at(0).text(), "1");
}

TEST(HappensBefore, NeighbouringVariablesInOneGranuleAreNotOrdered) {
  Program p(3, {{"a", 0}, {"b", 0}});
  p.set(1, "a", 1);
  p.set(2, "b", 1);
  EXPECT_EQ(p.check("property never: !(a == 0 && b == 1)").findings.size(), 1u);
}

TEST(HappensBefore, AWriteOfSeveralVariablesAtOnceIsOneState) {
  Program p(2, {{"a", 0}, {"b", 0}});
  p.write(1, 0x1000, 8, 0x0000'0002'0000'0001);
  const properties::PropertyAnswer answer = p.check("property both: (a == 1) <-> (b == 2)");
  EXPECT_TRUE(answer.findings.empty());
  EXPECT_EQ(answer.counted->cuts, 2u);
}

TEST(HappensBefore, NobodyComesBetweenGluedWrites) {
  Program p(3, {{"a", 0}, {"b", 0}, {"c", 0}});
  p.set(1, "a", 1);
  p.trace.events.back().flags |= trace::kGlued;
  p.set(1, "b", 1);
  p.set(2, "c", 1);
  EXPECT_TRUE(p.check("property together: start(c == 1) -> ((a == 1) <-> (b == 1))").findings.empty());
  p.trace.events[p.trace.events.size() - 3].flags = 0;
  EXPECT_EQ(p.check("property together: start(c == 1) -> ((a == 1) <-> (b == 1))").findings.size(), 1u);
}

TEST(HappensBefore, AnInitialValueThatNobodyKnowsIsTold) {
  Program p(2, {{"a", 5}});
  p.trace.initial_known = false;
  p.trace.initial.clear();
  p.set(1, "a", 1);
  const properties::PropertyAnswer answer = p.check("property one: a <= 1");
  EXPECT_TRUE(answer.findings.empty());
  ASSERT_EQ(answer.remarks.size(), 1u);
  EXPECT_NE(answer.remarks[0].find("`a`"), std::string::npos);
}

TEST(HappensBefore, LivenessIsOnlyPossible) {
  // A light goes on and off while somebody waits for ever.
  Program p(3, {{"light", 0}, {"waiting", 0}, {"served", 0}});
  p.set(1, "waiting", 1);
  p.set(2, "light", 1);
  p.set(2, "light", 0);
  p.set(1, "served", 1);
  const properties::PropertyAnswer answer =
      p.check("liveness served: always ((waiting == 1 && light >= 0) -> eventually served == 1)");
  ASSERT_EQ(answer.findings.size(), 1u);
  EXPECT_EQ(answer.findings[0].kind, witness::FindingKind::PossibleLiveness);
  EXPECT_TRUE(p.check("liveness on: always eventually light == 0").findings.empty());
}

// Random programs with variables and a lock; every run of their relevant writes, completed to all events, must pass.
RC_GTEST_PROP(HappensBefore, EveryRunPassesTheChecker, ()) {
  const auto threads = *rc::gen::inRange<std::uint32_t>(2, 5);
  Program p(threads, {{"a", 0}, {"b", 0}, {"c", 0}});
  std::vector<int> values(3, 0);
  std::vector<bool> holds(threads, false);
  bool locked = false;
  std::size_t relevant = 0;
  for (int i = *rc::gen::inRange(0, 25); i > 0; --i) {
    const auto t = *rc::gen::inRange<std::uint32_t>(0, threads);
    const auto v = *rc::gen::inRange<std::size_t>(0, 3);
    const std::string name(1, static_cast<char>('a' + v));
    switch (*rc::gen::inRange(0, 4)) {
    case 0: p.get(t, name, values[v]); break;
    case 1:
      if (v == 2 || ++relevant < 8) p.set(t, name, values[v] = i);
      break;
    case 2:
      if (!locked) p.add(t, EventKind::Acquire, 0x9000), locked = holds[t] = true;
      break;
    default:
      if (holds[t]) p.add(t, EventKind::Release, 0x9000), locked = holds[t] = false;
      break;
    }
  }
  RC_ASSERT(trace::verify(p.trace, 1).legal());
  causality::Relevance relevance; // a and b
  for (std::size_t i = 0; i < p.trace.events.size(); ++i)
    if (p.trace.events[i].kind == EventKind::Write && p.trace.events[i].address < 0x1008) relevance.events.push_back(i);
  const causality::Computation computation = causality::compute(p.trace);
  const auto model = causality::make_happens_before(p.trace, computation, relevance);
  RC_ASSERT(model.ok());
  witness::Checker checker(p.trace);
  std::vector<causality::Count> cut(threads, 0);
  std::vector<causality::EventIndex> path;
  std::uint64_t tried = 0;
  const std::function<void()> extend = [&] {
    for (std::uint32_t t = 0; t < threads && tried < 200; ++t) {
      const auto steps = model.value()->steps(t);
      if (cut[t] >= steps.size() || !model.value()->enabled(cut, {}, t)) continue;
      path.push_back(steps[cut[t]].event);
      ++cut[t];
      ++tried;
      witness::Finding finding;
      finding.kind = witness::FindingKind::Property;
      finding.model = witness::Model::HappensBefore;
      for (const causality::EventIndex event : model.value()->run_along(path))
        finding.witness.steps.push_back(static_cast<std::uint32_t>(event));
      const auto objection = checker.objection(finding);
      if (objection) RC_FAIL(*objection);
      extend();
      --cut[t];
      path.pop_back();
    }
  };
  extend();
}

} // namespace
} // namespace sooth
