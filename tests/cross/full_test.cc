// The model `full`: engines, the lattice and the checker against the definition, on random traces with random dependence.
//
// SOOTH_CROSS=long looks at many more of them.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "causality/computation/computation.h"
#include "causality/models/model.h"
#include "full_cases.h"
#include "lattice_nodes.h"
#include "predict/question/feasibility.h"
#include "predict/question/index.h"
#include "predict/question/must_order.h"
#include "predict/races/races.h"
#include "reference/full.h"
#include "trace/verify.h"
#include "traces.h"
#include "witness/check.h"

namespace sooth::cross {
namespace {

using reference::FullReference;
using reference::FullState;
using reference::Reference;
using trace::EventKind;
using witness::Model;

std::map<std::string, std::uint64_t> tally; // a comparison that never happens proves nothing

class Comparison {
public:
  explicit Comparison(Case one)
      : case_(std::move(one)), computation_(causality::compute(case_.trace)),
        reference_(case_.trace, case_.relation, computation_.step_of_event), checker_(case_.trace) {}

  void races() {
    ASSERT_TRUE(trace::verify(case_.trace).legal()) << about();
    ASSERT_TRUE(computation_.dependence.known || case_.has_classes) << about();
    const std::set<FullState> states = reference_.states();
    const std::set<Reference::Pair> expected = by_sites(reference_.races(states));
    must_order(states);
    const auto found = find(Model::Full);
    EXPECT_EQ(found, expected) << about();
    const auto maximal = find(Model::Maximal);
    EXPECT_TRUE(std::includes(found.begin(), found.end(), maximal.begin(), maximal.end())) << about();
    tally["races of full"] += found.size();
    tally["races of maximal"] += maximal.size();
  }

  // No state has a step without what comes before it in every run.
  void must_order(const std::set<FullState>& states) {
    const predict::Index index(computation_, Model::Full);
    const predict::MustOrder must(case_.trace, index), by_orders(case_.trace, computation_);
    std::vector<std::uint32_t> place(case_.trace.events.size()), so_far(case_.trace.threads.size(), 0);
    for (std::size_t i = 0; i < place.size(); ++i) place[i] = so_far[case_.trace.events[i].thread]++;
    const auto has = [&](const FullState& state, const causality::Step& step) {
      return state.state.progress[step.thread] > place[step.event];
    };
    for (causality::StepId a = 0; a < computation_.steps.size(); ++a)
      for (causality::StepId b = 0; b < computation_.steps.size(); ++b) {
        const causality::Step &first = computation_.steps[a], &second = computation_.steps[b];
        if (first.thread == second.thread || !must.precedes(a, b)) continue;
        if (!by_orders.precedes(a, b)) ++tally["orders by values"];
        for (const FullState& state : states)
          ASSERT_TRUE(!has(state, second) || has(state, first)) << a << " before " << b << about();
      }
  }

  void lattice(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    causality::Relevance relevance;
    std::set<std::uint32_t> looked_at;
    if (seed % 2 == 0)
      for (const causality::Step& step : computation_.steps)
        if (random() % 3 == 0) {
          relevance.events.push_back(step.event);
          looked_at.insert(step.event);
        }
    reference_.look_at(looked_at);
    const auto* row = causality::find_model("full");
    ASSERT_NE(row, nullptr);
    auto model = row->make(case_.trace, computation_, relevance);
    ASSERT_TRUE(model.ok());
    std::set<std::vector<std::uint32_t>> expected;
    for (const FullState& state : reference_.states()) expected.insert(steps_of(**model, state));
    std::set<std::vector<std::uint32_t>> reached;
    each_node(**model, [&](const std::vector<causality::Count>& cut) { reached.insert(cut); });
    EXPECT_EQ(reached, expected) << about();
    tally["cuts"] += expected.size();
  }

private:
  std::set<Reference::Pair> find(Model model) {
    predict::Limits limits;
    limits.jobs = 1;
    const auto feasibility = predict::make_feasibility(computation_, model, limits);
    predict::Coverage coverage;
    std::set<Reference::Pair> found;
    for (const witness::Finding& finding :
         predict::find_races(case_.trace, computation_, *feasibility, model, limits, coverage)) {
      found.insert({finding.places[0].event, finding.places[1].event});
      const auto objection = checker_.objection(finding);
      EXPECT_FALSE(objection) << *objection << "\n" << about();
      ++tally["race by " + finding.engine];
    }
    EXPECT_EQ(coverage.undecided, 0u) << about();
    return by_sites(found);
  }

  // One race is shown for two sites.
  std::set<Reference::Pair> by_sites(const std::set<Reference::Pair>& events) const {
    std::set<Reference::Pair> out;
    for (const auto& [first, second] : events) {
      const std::uint32_t a = case_.trace.events[first].site, b = case_.trace.events[second].site;
      out.insert({std::min(a, b), std::max(a, b)});
    }
    return out;
  }

  // How many of the model's steps each thread has taken.
  std::vector<std::uint32_t> steps_of(const causality::Model& model, const FullState& state) const {
    std::vector<std::uint32_t> counts(model.threads());
    std::vector<std::uint32_t> done(model.threads());
    for (std::uint32_t i = 0; i < case_.trace.events.size(); ++i) {
      const std::uint32_t t = case_.trace.events[i].thread;
      if (done[t]++ >= state.state.progress[t]) continue;
      const auto steps = model.steps(t);
      if (counts[t] < steps.size() && steps[counts[t]].event == i) ++counts[t];
    }
    return counts;
  }

  std::string about() const {
    std::string out = text(case_.trace);
    for (std::uint32_t i = 0; i < case_.trace.events.size(); ++i) {
      out += std::to_string(i) + (case_.trace.events[i].kind == EventKind::Branch ? " branch:" : ":");
      for (const std::uint32_t read : case_.relation.leads[i]) out += " by " + std::to_string(read);
      for (const std::uint32_t read : case_.relation.writes[i]) out += " from " + std::to_string(read);
      out += "\n";
    }
    return out;
  }

  const Case case_;
  const causality::Computation computation_;
  FullReference reference_;
  witness::Checker checker_;
};

std::uint64_t cases(std::uint64_t usual) {
  const char* mode = std::getenv("SOOTH_CROSS");
  return mode != nullptr && std::string_view(mode) == "long" ? usual * 50 : usual;
}

TEST(Full, RacesAreThoseOfTheDefinition) {
  for (std::uint64_t seed = 0; seed < cases(3000) && !::testing::Test::HasFailure(); ++seed)
    Comparison(random_case(seed)).races();
  EXPECT_GT(tally["races of full"], tally["races of maximal"] + 100);
  EXPECT_GT(tally["race by search"], 100u);
  EXPECT_GT(tally["orders by values"], 100u);
}

TEST(Full, RacesByClassesOfSitesAreThoseOfTheDefinition) {
  tally.clear();
  for (std::uint64_t seed = 0; seed < cases(3000) && !::testing::Test::HasFailure(); ++seed)
    Comparison(class_case(seed)).races();
  EXPECT_GT(tally["races of full"], tally["races of maximal"] + 50);
  EXPECT_GT(tally["orders by values"], 100u);
}

TEST(Full, CutsOfTheLatticeAreThoseOfTheDefinition) {
  for (std::uint64_t seed = 0; seed < cases(1500) && !::testing::Test::HasFailure(); ++seed)
    Comparison(random_case(seed)).lattice(seed);
  EXPECT_GT(tally["cuts"], 10'000u);
}

TEST(Full, CutsByClassesOfSitesAreThoseOfTheDefinition) {
  for (std::uint64_t seed = 0; seed < cases(1000) && !::testing::Test::HasFailure(); ++seed)
    Comparison(class_case(seed)).lattice(seed);
}

} // namespace
} // namespace sooth::cross
