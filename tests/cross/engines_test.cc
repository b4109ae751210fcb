// Every engine under every model against the definitions, on all small traces and on random larger ones; every witness
// goes through the checker.
//
// SOOTH_CROSS=long looks at all traces of 6 events (2.8 million, with 2 and 3 threads) and at some ten thousand random ones for each
// question.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "causality/computation/computation.h"
#include "predict/atomicity/atomicity.h"
#include "predict/deadlocks/deadlocks.h"
#include "predict/question/feasibility.h"
#include "predict/question/must_order.h"
#include "predict/races/flag_locks.h"
#include "predict/races/races.h"
#include "reference/reference.h"
#include "traces.h"
#include "witness/check.h"

namespace sooth::cross {
namespace {

using reference::EventNumber;
using reference::Reference;
using reference::State;
using witness::Model;

constexpr Model kModels[] = {Model::HappensBefore, Model::HappensBeforeLocks, Model::WeakHappensBefore,
                             Model::WeakHappensBeforeLocks, Model::Maximal};

bool is_long() {
  const char* mode = std::getenv("SOOTH_CROSS");
  return mode != nullptr && std::string_view(mode) == "long";
}

std::map<std::string, std::uint64_t> tally; // what was compared; a comparison that never happens proves nothing

// Engines report one finding for each pair of sites: so every event has a site of its own.
trace::Trace with_sites(trace::Trace trace) {
  trace.sites.resize(trace.events.size() + 1);
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
    trace.events[i].site = i + 1;
    trace.sites[i + 1].line = i + 1;
  }
  return trace;
}

// All threads run the same code: requests for one lock stand at one place of it, joins at another.
trace::Trace with_shared_sites(trace::Trace trace) {
  std::map<std::pair<trace::EventKind, std::uint64_t>, std::uint32_t> sites;
  for (trace::Event& e : trace.events) {
    const bool join = e.kind == trace::EventKind::Join;
    e.site =
        sites.try_emplace({e.kind, join ? 0 : e.address}, static_cast<std::uint32_t>(sites.size() + 1)).first->second;
  }
  trace.sites.resize(sites.size() + 1);
  return trace;
}

// The blocks that runs break, by the definition: no run with the same outcome has the block in one piece.
struct BrokenBlocks {
  BrokenBlocks(const Reference& reference, Model model) {
    const Reference::Outcome recorded = reference.recorded();
    for (const EventNumber block : reference.transactions())
      if (!with(reference, {block}).contains(recorded)) now.insert(block);
    const std::set<EventNumber> all = reference.blocks_of(recorded, true);
    if (!with(reference, all).contains(recorded)) together_now = all;
    together_now.insert(now.begin(), now.end());
    for (const Reference::Outcome& outcome : reference.outcomes(model)) {
      for (const EventNumber block : reference.blocks_of(outcome, false))
        if (!alone.contains(block) && !with(reference, {block}).contains(outcome)) alone.insert(block);
      const std::set<EventNumber> blocks = reference.blocks_of(outcome, true);
      if (!std::ranges::includes(together, blocks) && !with(reference, blocks).contains(outcome))
        together.insert(blocks.begin(), blocks.end());
    }
  }

  std::set<EventNumber> now, together_now; // broken by the recorded run, each; all of those that are so together
  std::set<EventNumber> alone, together;   // broken by some run

private:
  const std::set<Reference::Outcome>& with(const Reference& reference, const std::set<EventNumber>& whole) {
    const auto [it, fresh] = with_.try_emplace(whole);
    if (fresh) it->second = reference.outcomes_with(whole);
    return it->second;
  }
  std::map<std::set<EventNumber>, std::set<Reference::Outcome>> with_;
};

class Comparison {
public:
  explicit Comparison(const trace::Trace& trace, bool shared_sites = false)
      : trace_(shared_sites ? with_shared_sites(trace) : with_sites(trace)), computation_(causality::compute(trace_)),
        reference_(trace_), checker_(trace_) {}

  void races() {
    std::set<Reference::Pair> stricter;
    std::set<State> fewer;
    for (const Model model : kModels) {
      if (refused(model)) continue;
      std::set<State> states = reference_.states(model);
      const std::set<Reference::Pair> expected = reference_.races(states);
      // Theorems 2 to 7: each model has every run of the stricter ones, so it reaches what they reach.
      EXPECT_TRUE(std::includes(states.begin(), states.end(), fewer.begin(), fewer.end())) << about(model);
      EXPECT_TRUE(std::includes(expected.begin(), expected.end(), stricter.begin(), stricter.end())) << about(model);
      stricter = expected;
      fewer = std::move(states);
      const auto feasibility = predict::make_feasibility(computation_, model, limits());
      predict::Coverage coverage;
      std::set<Reference::Pair> found;
      for (const witness::Finding& finding :
           predict::find_races(trace_, computation_, *feasibility, model, limits(), coverage)) {
        found.insert({finding.places[0].event, finding.places[1].event});
        check(finding);
        ++tally["race by " + finding.engine];
      }
      EXPECT_EQ(found, expected) << about(model);
      EXPECT_EQ(coverage.undecided, 0u) << about(model);
      tally["no race"] += coverage.candidates - found.size();
      races_of_variables(*feasibility, model, expected);
    }
  }

  // Every race that is found is one of the definition's, however little is looked at at once.
  void races_within(std::size_t window) {
    const std::set<Reference::Pair> expected = reference_.races(reference_.states(Model::Maximal));
    predict::Limits narrow = limits();
    narrow.window = window;
    const auto feasibility = predict::make_feasibility(computation_, Model::Maximal, narrow);
    predict::Coverage coverage;
    for (const witness::Finding& finding :
         predict::find_races(trace_, computation_, *feasibility, Model::Maximal, limits(), coverage)) {
      EXPECT_TRUE(expected.contains({finding.places[0].event, finding.places[1].event})) << about(Model::Maximal);
      check(finding);
      ++tally["race within"];
    }
    for (const auto& [reason, times] : coverage.reasons)
      EXPECT_EQ(reason.find("internal error"), std::string::npos) << reason << about(Model::Maximal);
  }

  // One race of each variable is enough: no variable is missing, and what was not decided would only add lines.
  void races_of_variables(const predict::Feasibility& feasibility, Model model,
                          const std::set<Reference::Pair>& races) {
    // Where accesses overlap only in part, what each of them touches.
    const auto variable = [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(std::minmax(trace_.events[a].address, trace_.events[b].address));
    };
    std::set<std::pair<std::uint64_t, std::uint64_t>> expected, found;
    for (const Reference::Pair& race : races) expected.insert(variable(race.first, race.second));
    predict::Limits one_of_each = limits();
    one_of_each.each = false;
    one_of_each.seconds_for_lines = 0;
    predict::Coverage coverage;
    for (const witness::Finding& finding :
         predict::find_races(trace_, computation_, feasibility, model, one_of_each, coverage)) {
      EXPECT_TRUE(found.insert(variable(finding.places[0].event, finding.places[1].event)).second) << about(model);
      check(finding);
    }
    EXPECT_EQ(found, expected) << about(model);
    EXPECT_EQ(coverage.undecided, 0u) << about(model);
    tally["lines left out"] += coverage.alike;
  }

  void deadlocks() {
    for (const Model model : kModels) {
      if (refused(model)) continue;
      const std::set<State> states = reference_.states(model);
      const auto expected = reference_.deadlocks(states);
      const auto feasibility = predict::make_feasibility(computation_, model, limits());
      predict::Coverage coverage;
      std::set<std::set<std::uint32_t>> found;
      std::set<std::uint32_t> abandoned;
      for (witness::Finding& finding :
           predict::find_deadlocks(trace_, computation_, *feasibility, limits(), coverage)) {
        finding.model = model;
        if (finding.witness.next.size() == 1) abandoned.insert(finding.witness.next[0]);
        else found.insert({finding.witness.next.begin(), finding.witness.next.end()});
        check(finding);
        ++tally[finding.witness.next.size() == 1 ? "abandoned lock" : "deadlock"];
      }
      EXPECT_EQ(found, expected) << about(model);
      EXPECT_EQ(abandoned, reference_.abandoned(states)) << about(model);
      EXPECT_EQ(coverage.undecided, 0u) << about(model);
    }
  }

  // Findings are told apart by their places only: each must be one of the definition's, and each of the definition's must be there,
  // or a part of it that is a circle already.
  void deadlocks_of_places() {
    using Places = std::multiset<std::uint32_t>;
    const auto places = [&](const auto& events) {
      Places out;
      for (const std::uint32_t event : events) out.insert(trace_.events[event].site);
      return out;
    };
    for (const Model model : kModels) {
      if (refused(model)) continue;
      std::set<Places> expected;
      for (const auto& circle : reference_.deadlocks(reference_.states(model))) expected.insert(places(circle));
      const auto feasibility = predict::make_feasibility(computation_, model, limits());
      predict::Coverage coverage;
      std::set<Places> found;
      for (witness::Finding& finding :
           predict::find_deadlocks(trace_, computation_, *feasibility, limits(), coverage)) {
        finding.model = model;
        check(finding);
        if (finding.witness.next.size() == 1) continue;
        EXPECT_TRUE(found.insert(places(finding.witness.next)).second) << about(model);
        ++tally["deadlock of places"];
      }
      EXPECT_TRUE(std::ranges::includes(expected, found)) << about(model);
      for (const Places& circle : expected) {
        const bool twice = std::ranges::adjacent_find(circle) != circle.end();
        EXPECT_TRUE(found.contains(circle) ||
                    (twice && std::ranges::any_of(
                                  found, [&](const Places& part) { return std::ranges::includes(circle, part); })))
            << about(model);
      }
      EXPECT_EQ(coverage.undecided, 0u) << about(model);
    }
  }

  // Where something has no owner: under the maximal model, since the orders of posts and waits are the same under all.
  void standstills() {
    const auto expected = reference_.standstills(reference_.states(Model::Maximal));
    const auto feasibility = predict::make_feasibility(computation_, Model::Maximal, limits());
    predict::Coverage coverage;
    bool found = false;
    for (const witness::Finding& finding :
         predict::find_deadlocks(trace_, computation_, *feasibility, limits(), coverage)) {
      check(finding);
      const bool semaphore = std::ranges::any_of(finding.witness.next, [&](std::uint32_t next) {
        return trace_.events[next].kind == trace::EventKind::SemWait;
      });
      if (!semaphore) continue;
      found = true;
      ++tally["standstill"];
      EXPECT_TRUE(expected.contains({finding.witness.next.begin(), finding.witness.next.end()}))
          << about(Model::Maximal);
    }
    if (expected.empty()) return;
    ++tally["trace that may stand still"];
    if (found) ++tally["... found"];
    else if (coverage.undecided != 0) ++tally["... told to be undecided"];
    else ++tally["... missed"];
  }

  // View serialisability, of every run that the model has.
  void blocks(Model model) {
    if (refused(model)) return;
    const auto feasibility = predict::make_feasibility(computation_, model, limits());
    predict::Coverage coverage;
    std::set<std::uint32_t> found;
    bool observed = false;
    BrokenBlocks expected(reference_, model);
    for (witness::Finding& finding : predict::find_atomicity(trace_, computation_, *feasibility, limits(), coverage)) {
      finding.model = model;
      check(finding);
      const bool recorded = finding.status == witness::Status::Observed;
      const auto begins = std::ranges::count(finding.places, witness::Role::BlockBegin, &witness::Place::role);
      const EventNumber block = finding.places[0].event;
      ++tally[std::string(recorded ? "observed" : "predicted") + (begins > 1 ? " together" : " alone")];
      observed |= recorded;
      found.insert(block);
      const auto& blocks = recorded     ? begins > 1 ? expected.together_now : expected.now
                           : begins > 1 ? expected.together
                                        : expected.alone;
      EXPECT_TRUE(blocks.contains(block)) << block << " " << recorded << "\n" << about(model);
    }
    EXPECT_EQ(observed, !expected.together_now.empty()) << about(model);
    for (const EventNumber block : expected.alone) {
      if (found.contains(block)) ++tally["breakable block found"];
      else if (coverage.undecided != 0) ++tally["breakable block undecided"];
      else ++tally["breakable block missed"];
    }
    if (!expected.together.empty()) ++tally[found.empty() ? "breakable blocks not found" : "breakable blocks found"];
  }

  // Definition 5, which speaks of the maximal model.
  void atomicity() {
    const std::set<State> states = reference_.states(Model::Maximal);
    std::set<std::uint32_t> broken;
    for (const std::uint32_t begin : reference_.transactions())
      if (!reference_.atomic(begin, Model::Maximal, states)) broken.insert(begin);
    const bool serialisable = reference_.serialisable(Model::Maximal);
    const auto feasibility = predict::make_feasibility(computation_, Model::Maximal, limits());
    predict::Coverage coverage;
    bool observed = false;
    for (const witness::Finding& finding : predict::find_atomicity(trace_, computation_, *feasibility, limits(),
                                                                   coverage, {}, predict::AtomicityRule::Definition5)) {
      check(finding);
      ++tally[finding.status == witness::Status::Observed ? "broken block" : "block that may break"];
      if (finding.status != witness::Status::Observed) continue;
      observed = true;
      // One finding for each pair of sites; a local one begins with a block that cannot be in one piece.
      EXPECT_TRUE(broken.empty() || broken.contains(finding.places[0].event)) << about(Model::Maximal);
    }
    EXPECT_EQ(observed, !serialisable) << about(Model::Maximal); // a block that is broken alone is broken with others
    EXPECT_EQ(coverage.undecided, 0u) << about(Model::Maximal);
    if (serialisable) ++tally["serialisable"];
  }

private:
  bool refused(Model model) const { return model == Model::WeakHappensBefore && !reference_.every_lock_released(); }

  void check(const witness::Finding& finding) {
    const auto objection = checker_.objection(finding);
    EXPECT_FALSE(objection) << *objection << "\n" << about(finding.model);
  }
  static predict::Limits limits() {
    predict::Limits limits;
    limits.jobs = 1;
    return limits;
  }
  std::string about(Model model) const {
    return "model " + std::to_string(static_cast<int>(model)) + "\n" + text(trace_);
  }

  const trace::Trace trace_;
  const causality::Computation computation_;
  const Reference reference_;
  witness::Checker checker_;
};

void every(const SmallShape& shape, std::uint64_t step) {
  std::uint64_t number = 0;
  small_traces(shape, [&](const trace::Trace& trace) {
    if (++number % step == 0) Comparison(trace).races();
    return !::testing::Test::HasFailure();
  });
  ::testing::Test::RecordProperty("traces", static_cast<int>(number / step));
}

TEST(Engines, RacesOfSmallTracesAreThoseOfTheDefinition) {
  every({.threads = 2, .events = 5}, 1);
  every({.threads = 2, .events = 6}, is_long() ? 1 : 7);
  every({.threads = 3, .events = 6}, is_long() ? 1 : 31);
  if (is_long()) every({.threads = 2, .events = 7}, 101);
}

TEST(Engines, RacesOfRandomTracesAreThoseOfTheDefinition) {
  const std::uint64_t count = is_long() ? 40'000 : 6'000;
  for (std::uint64_t seed = 0; seed < count && !::testing::Test::HasFailure(); ++seed) {
    Comparison(random_trace(seed, random_shape(seed))).races();
  }
  EXPECT_GT(tally["race by closure"], 100u);
  EXPECT_GT(tally["race by search"], 100u);
  EXPECT_GT(tally["no race"], 100u);
  EXPECT_GT(tally["lines left out"], 100u);
}

TEST(Engines, RacesPastSemaphoresConditionsAndBarriersAreThoseOfTheDefinition) {
  tally.clear();
  const std::uint64_t count = is_long() ? 40'000 : 4'000;
  for (std::uint64_t seed = 0; seed < count && !::testing::Test::HasFailure(); ++seed) {
    const trace::Trace trace = random_counted_trace(seed);
    ASSERT_EQ(causality::compute(trace).conservative_orders, 0u) << text(trace);
    Comparison(trace).races();
  }
  EXPECT_GT(tally["race by closure"], 100u);
  EXPECT_GT(tally["race by search"], 10u);
  EXPECT_GT(tally["no race"], 100u);
}

TEST(Engines, RacesUnderVariablesThatAreUsedAsLocksAreThoseOfTheDefinition) {
  tally.clear();
  std::uint64_t locks = 0, none = 0;
  const std::uint64_t count = is_long() ? 40'000 : 4'000;
  for (std::uint64_t seed = 0; seed < count && !::testing::Test::HasFailure(); ++seed) {
    const trace::Trace trace = random_flag_trace(seed);
    const causality::Computation computation = causality::compute(trace);
    const predict::FlagLocks flags(computation, predict::MustOrder(trace, computation), false);
    (flags.changes().empty() ? none : locks) += 1;
    Comparison(trace).races();
  }
  EXPECT_GT(locks, count / 4);
  EXPECT_GT(none, count / 8);
  EXPECT_GT(tally["race by closure"], 100u);
  EXPECT_GT(tally["no race"], 100u);
}

// A window begins behind counts and queues that the run before it left.
TEST(Engines, RacesInWindowsPastSemaphoresConditionsAndBarriersAreInTheDefinition) {
  tally.clear();
  for (std::uint64_t seed = 0; seed < 2'000 && !::testing::Test::HasFailure(); ++seed)
    Comparison(random_counted_trace(seed)).races_within(4 + seed % 5);
  EXPECT_GT(tally["race within"], 100u);
}

// Where more threads use a barrier than a round has, who meets stays as recorded: nothing outside
// the definition is found, and what is kept is told.
TEST(Engines, RacesPastBarriersOfManyThreadsAreInTheDefinition) {
  std::uint64_t told = 0;
  for (std::uint64_t seed = 0; seed < 1'000 && !::testing::Test::HasFailure(); ++seed) {
    const trace::Trace trace = random_counted_trace(seed, true);
    told += causality::compute(trace).conservative_orders != 0 ? 1 : 0;
    Comparison(trace).races_within(10'000);
  }
  EXPECT_GT(told, 20u);
}

TEST(Engines, DeadlocksOfRandomTracesAreThoseOfTheDefinition) {
  const std::uint64_t count = is_long() ? 40'000 : 4'000;
  for (std::uint64_t seed = 0; seed < count && !::testing::Test::HasFailure(); ++seed) {
    RandomShape shape = random_shape(seed);
    shape.events = 12 + seed % 5;
    shape.accesses = seed % 3;
    shape.mutexes = 2 + seed % 2;
    shape.bytes = 1;
    Comparison(random_trace(seed, shape)).deadlocks();
  }
  EXPECT_GT(tally["deadlock"], 20u);
  EXPECT_GT(tally["abandoned lock"], 20u);
}

TEST(Engines, DeadlocksOfPlacesThatThreadsShareAreThoseOfTheDefinition) {
  const std::uint64_t count = is_long() ? 40'000 : 4'000;
  for (std::uint64_t seed = 0; seed < count && !::testing::Test::HasFailure(); ++seed) {
    RandomShape shape = random_shape(seed);
    shape.events = 12 + seed % 5;
    shape.accesses = seed % 3;
    shape.mutexes = 2 + seed % 2;
    shape.bytes = 1;
    Comparison(random_trace(seed, shape), true).deadlocks_of_places();
  }
  small_traces({.threads = 2, .events = 8, .variables = 0, .locks = 2}, [&](const trace::Trace& trace) {
    Comparison(trace, true).deadlocks_of_places();
    return !::testing::Test::HasFailure();
  });
  EXPECT_GT(tally["deadlock of places"], 20u);
}

TEST(Engines, DeadlocksOfSmallTracesAreThoseOfTheDefinition) {
  const auto every_deadlock = [](const SmallShape& shape) {
    small_traces(shape, [&](const trace::Trace& trace) {
      Comparison(trace).deadlocks();
      return !::testing::Test::HasFailure();
    });
  };
  every_deadlock({.threads = 2, .events = 8, .variables = 0, .locks = 2});
  every_deadlock({.threads = 3, .events = 7, .variables = 0, .locks = 3});
}

TEST(Engines, StandstillsOfRandomTracesAreThoseOfTheDefinition) {
  const std::uint64_t count = is_long() ? 20'000 : 3'000;
  for (std::uint64_t seed = 0; seed < count && !::testing::Test::HasFailure(); ++seed)
    Comparison(random_waiting_trace(seed)).standstills();
  for (const auto& [name, times] : tally) ::testing::Test::RecordProperty(name, std::to_string(times));
  EXPECT_GT(tally["... found"], 100u);
  // Which posts are taken, and where others stop, is tried in the observed order only (standstill.h).
  EXPECT_LT(20 * (tally["... missed"] + tally["... told to be undecided"]), tally["trace that may stand still"]);
}

TEST(Engines, BlocksOfRandomTracesAreBrokenByTheRunsOfTheDefinition) {
  const std::uint64_t count = is_long() ? 20'000 : 1'200;
  for (std::uint64_t seed = 0; seed < count && !::testing::Test::HasFailure(); ++seed) {
    Comparison comparison(random_block_trace(seed));
    for (const Model model : {Model::HappensBeforeLocks, Model::WeakHappensBeforeLocks, Model::Maximal})
      comparison.blocks(model);
  }
  for (const auto& [name, times] : tally) ::testing::Test::RecordProperty(name, std::to_string(times));
  EXPECT_GT(tally["observed alone"], 20u);
  EXPECT_GT(tally["observed together"], 10u);
  EXPECT_GT(tally["predicted alone"], 20u);
  EXPECT_GT(tally["predicted together"], 20u);
  // A run is asked for one interleaving at a time; where several values are equal, another run than the found one may be needed.
  EXPECT_LT(30 * tally["breakable block missed"], tally["breakable block found"]);
  EXPECT_LT(30 * tally["breakable blocks not found"], tally["breakable blocks found"]);
}

TEST(Engines, BlocksOfRandomTracesAreAtomicByTheDefinition) {
  const std::uint64_t count = is_long() ? 60'000 : 12'000;
  for (std::uint64_t seed = 0; seed < count && !::testing::Test::HasFailure(); ++seed) {
    RandomShape shape = random_shape(seed, true);
    shape.events = 10 + seed % 5;
    shape.accesses = seed % 4; // and where there are no locks, all that is not a begin or an end
    shape.mutexes = seed % 3 == 0 ? 1 : 0;
    shape.forks = false; // a block that creates and joins a thread is never in one piece; nobody wants to hear of it
    shape.bytes = 1 + seed % 2;
    Comparison(random_trace(seed, shape)).atomicity();
  }
  EXPECT_GT(tally["broken block"], 20u);
  EXPECT_GT(tally["serialisable"], 20u);
}

} // namespace
} // namespace sooth::cross
