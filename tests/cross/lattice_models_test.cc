// The models that the lattice walks through, against the reference: the same prefixes of runs, for every model.
#include <functional>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "causality/models/model.h"
#include "lattice_nodes.h"
#include "reference/reference.h"
#include "traces.h"

namespace sooth::cross {
namespace {

using causality::Count;
using reference::Reference;
using reference::State;
using witness::Model;

struct Named {
  const char* name;
  Model model;
};
constexpr Named kModels[] = {{"hb", Model::HappensBefore},
                             {"hb-locks", Model::HappensBeforeLocks},
                             {"whb", Model::WeakHappensBefore},
                             {"whb-locks", Model::WeakHappensBeforeLocks},
                             {"maximal", Model::Maximal}};

using Positions = std::vector<std::uint32_t>; // events done, by thread

// All cuts that paths of the model reach, as positions of events: a thread that has taken a step has done everything up to it.
std::set<Positions> reached(const causality::Model& model, const std::vector<std::vector<std::uint32_t>>& of_thread) {
  std::set<Positions> result;
  each_node(model, [&](const std::vector<Count>& cut) {
    Positions positions(model.threads());
    for (std::uint32_t t = 0; t < model.threads(); ++t)
      while (cut[t] != 0 && of_thread[t][positions[t]++] != model.steps(t)[cut[t] - 1].event) {
      }
    result.insert(positions);
  });
  return result;
}

void compare(const trace::Trace& trace, std::uint64_t which) {
  const causality::Computation computation = causality::compute(trace);
  causality::Relevance all;
  std::vector<std::vector<std::uint32_t>> of_thread(trace.threads.size());
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
    all.events.push_back(i);
    of_thread[trace.events[i].thread].push_back(i);
  }
  const Reference reference(trace);
  for (const Named& named : kModels) {
    const causality::ModelRow* row = causality::find_model(named.name);
    ASSERT_NE(row, nullptr) << named.name;
    auto made = row->make(trace, computation, all);
    if (named.model == Model::WeakHappensBefore && !reference.every_lock_released()) {
      EXPECT_FALSE(made.ok()) << text(trace);
      continue;
    }
    ASSERT_TRUE(made.ok()) << made.error().text();
    std::set<Positions> expected;
    for (const State& state : reference.states(named.model)) expected.insert(state.progress);
    EXPECT_EQ(reached(**made, of_thread), expected) << named.name << ", trace " << which << "\n" << text(trace);
  }
}

TEST(LatticeModels, HaveThePrefixesOfTheReferenceOnSmallTraces) {
  std::uint64_t number = 0;
  const auto every = [&](std::uint64_t step) {
    return [&number, step](const trace::Trace& trace) {
      if (++number % step == 0) compare(trace, number);
      return !::testing::Test::HasFailure();
    };
  };
  small_traces({.threads = 2, .events = 4}, every(1));
  small_traces({.threads = 2, .events = 6}, every(199));
  small_traces({.threads = 3, .events = 6}, every(997));
}

TEST(LatticeModels, HaveThePrefixesOfTheReferenceOnRandomTraces) {
  for (std::uint64_t seed = 0; seed < 1500 && !::testing::Test::HasFailure(); ++seed)
    compare(random_trace(seed, random_shape(seed)), seed);
}

TEST(LatticeModels, HaveThePrefixesOfTheReferencePastSemaphoresConditionsAndBarriers) {
  for (std::uint64_t seed = 0; seed < 1500 && !::testing::Test::HasFailure(); ++seed)
    compare(random_counted_trace(seed), seed);
}

} // namespace
} // namespace sooth::cross
