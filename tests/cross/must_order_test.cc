// What comes before what in every run (predict/question/must_order.h), against all states that runs reach: no state has
// the second step without the first.
//
// SOOTH_CROSS=long looks at many more traces.
#include <cstdlib>
#include <set>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "causality/computation/computation.h"
#include "predict/question/index.h"
#include "predict/question/must_order.h"
#include "reference/reference.h"
#include "traces.h"

namespace sooth::cross {
namespace {

using causality::StepId;
using predict::MustOrder;
using reference::Reference;
using reference::State;
using witness::Model;

bool is_long() {
  const char* mode = std::getenv("SOOTH_CROSS");
  return mode != nullptr && std::string_view(mode) == "long";
}

struct Tally {
  std::uint64_t by_orders = 0, by_values = 0; // pairs of steps of two threads
  std::uint64_t apart = 0;                    // pairs of steps before which no run has both threads standing
};

class Comparison {
public:
  explicit Comparison(const trace::Trace& trace)
      : trace_(trace), computation_(causality::compute(trace)), reference_(trace), place_(trace.events.size()) {
    std::vector<std::uint32_t> so_far(trace.threads.size(), 0);
    for (std::size_t i = 0; i < trace.events.size(); ++i) place_[i] = so_far[trace.events[i].thread]++;
  }

  void compare(Model model, MustOrder::Of of, Tally& tally) {
    const std::set<State> states = reference_.states(model);
    const predict::Index index(computation_, model);
    const MustOrder must(trace_, index, of), by_orders(trace_, computation_, of);
    for (StepId a = 0; a < computation_.steps.size(); ++a)
      for (StepId b = 0; b < computation_.steps.size(); ++b) {
        if (computation_.steps[a].thread == computation_.steps[b].thread) continue;
        EXPECT_TRUE(!by_orders.precedes(a, b) || must.precedes(a, b)) << a << " " << b << "\n" << text(trace_);
        if (must.precedes(a, b)) {
          ++(by_orders.precedes(a, b) ? tally.by_orders : tally.by_values);
          for (const State& state : states)
            ASSERT_TRUE(!has(state, b) || has(state, a)) << a << " before " << b << "\n" << text(trace_);
        }
        if (must.excludes(a, b)) {
          ++tally.apart;
          for (const State& state : states)
            ASSERT_FALSE(stands_before(state, a) && stands_before(state, b)) << a << ", " << b << "\n" << text(trace_);
        }
      }
  }

private:
  bool has(const State& state, StepId step) const {
    const causality::Step& s = computation_.steps[step];
    return state.progress[s.thread] > place_[s.event];
  }
  bool stands_before(const State& state, StepId step) const {
    const causality::Step& s = computation_.steps[step];
    return state.progress[s.thread] == place_[s.event];
  }

  const trace::Trace& trace_;
  const causality::Computation computation_;
  const Reference reference_;
  std::vector<std::uint32_t> place_; // by event: its place in its thread
};

void compare_all(Model model, MustOrder::Of of, std::uint64_t count, Tally& tally) {
  for (std::uint64_t seed = 0; seed < count && !::testing::Test::HasFailure(); ++seed) {
    RandomShape shape = random_shape(seed);
    shape.bytes = 1 + seed % 3; // few locations, so that writes meet
    shape.events = 10 + seed % 6;
    Comparison(random_trace(seed, shape)).compare(model, of, tally);
    Comparison(random_counted_trace(seed)).compare(model, of, tally);
  }
}

TEST(MustOrder, IsKeptByEveryRunOfTheMaximalModel) {
  Tally tally;
  compare_all(Model::Maximal, MustOrder::Of::Everything, is_long() ? 60'000 : 2'500, tally);
  EXPECT_GT(tally.by_values, 2000u);
  EXPECT_GT(tally.by_orders, 2000u);
  EXPECT_GT(tally.apart, 2000u);
}

TEST(MustOrder, IsKeptByEveryRunWithoutTheOrdersThatQuestionsWaive) {
  Tally tally;
  compare_all(Model::Maximal, MustOrder::Of::CreationAndJoining, is_long() ? 20'000 : 500, tally);
  EXPECT_GT(tally.by_values, 500u);
}

TEST(MustOrder, IsKeptByEveryRunOfTheStricterModels) {
  for (const Model model : {Model::HappensBefore, Model::HappensBeforeLocks, Model::WeakHappensBeforeLocks}) {
    Tally tally;
    compare_all(model, MustOrder::Of::Everything, is_long() ? 10'000 : 300, tally);
    EXPECT_GT(tally.by_values, 300u);
  }
}

TEST(MustOrder, IsKeptInSmallTraces) {
  Tally tally;
  std::uint64_t number = 0;
  const std::uint64_t step = is_long() ? 1 : 23;
  small_traces({.threads = 3, .events = 6}, [&](const trace::Trace& trace) {
    if (++number % step == 0) Comparison(trace).compare(Model::Maximal, MustOrder::Of::Everything, tally);
    return !::testing::Test::HasFailure();
  });
  EXPECT_GT(tally.by_values, 1000u);
}

} // namespace
} // namespace sooth::cross
