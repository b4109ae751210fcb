// The lattice against enumeration: its cuts, its violations and their runs, however messages come and work is divided.
#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "explore/count.h"
#include "explore/paths.h"
#include "unit/explore_computation.h"
#include "unit/explore_runs.h"

namespace sooth::explore {
namespace {

using namespace sooth::testing;

// What running each path alone finds: for every run, where each monitor first objects.
struct Truth {
  std::set<std::vector<Count>> cuts;                            // all that runs go through
  std::set<std::pair<std::size_t, std::vector<Count>>> failing; // monitor, cut
  std::uint64_t runs = 0;
};

// Where each monitor objects first along a run; cuts are collected if asked for.
std::map<std::size_t, std::vector<Count>> first_failures(const Execution& execution, const MonitorSet& monitors,
                                                         const std::vector<std::size_t>& run,
                                                         std::set<std::vector<Count>>* cuts = nullptr) {
  std::map<std::size_t, std::vector<Count>> out;
  std::vector<std::uint64_t> values(monitors.value_words());
  Letter letter = monitors.begin(values);
  std::vector<MonitorState> states;
  std::vector<Count> cut(execution.threads, 0);
  for (std::size_t m = 0; m < monitors.monitors(); ++m) {
    const Move move = monitors.start(m, letter);
    if (move.violated) out.emplace(m, cut);
    states.push_back(move.state);
  }
  if (cuts != nullptr) cuts->insert(cut);
  for (const std::size_t event : run) {
    letter = monitors.apply(event, values);
    ++cut[execution.actions[event].thread];
    if (cuts != nullptr) cuts->insert(cut);
    for (std::size_t m = 0; m < states.size(); ++m) {
      if (out.contains(m)) continue;
      const Move move = monitors.step(m, states[m], letter);
      if (move.violated) out.emplace(m, cut);
      states[m] = move.state;
    }
  }
  return out;
}

Truth truth_of(const Execution& execution, const MonitorSet& monitors) {
  Truth out;
  for_each_run(execution, [&](const std::vector<std::size_t>& run) {
    ++out.runs;
    for (const auto& failure : first_failures(execution, monitors, run, &out.cuts)) out.failing.insert(failure);
  });
  return out;
}

std::vector<Count> padded(std::vector<Count> cut, std::size_t threads) {
  cut.resize(threads, 0);
  return cut;
}

// A violation is one: its path is a run (a prefix of one), and its monitor first objects at its end.
void check_violation(const Execution& execution, const MonitorSet& monitors, const Violation& violation) {
  const auto before = execution.causality();
  std::vector<std::size_t> run;
  for (const PathStep& step : violation.path) {
    for (std::size_t other = 0; other < execution.actions.size(); ++other) {
      if (!execution.actions[other].relevant || !before[other][step.event]) continue;
      RC_ASSERT(std::ranges::find(run, other) != run.end());
    }
    RC_ASSERT(std::ranges::find(run, step.event) == run.end());
    run.push_back(step.event);
  }
  const auto failures = first_failures(execution, monitors, run);
  RC_ASSERT(failures.contains(violation.monitor));
  RC_ASSERT(failures.at(violation.monitor) == padded(violation.cut, execution.threads));
  const auto total = std::accumulate(violation.cut.begin(), violation.cut.end(), std::size_t{0});
  RC_ASSERT(total == run.size());
}

RC_GTEST_PROP(Lattice, HasTheCutsOfAllRunsAndNoOthers, ()) {
  const Execution execution = random_execution(4, 30, 9);
  const RandomMonitors never(execution, 1, 0, 1'000'000'000);
  const Exploration found = run_lattice(lattice_messages(execution), never, {});
  RC_ASSERT(found.end == End::Complete);
  RC_ASSERT(found.violations.empty());
  RC_ASSERT(found.statistics.cuts == truth_of(execution, never).cuts.size());
}

RC_GTEST_PROP(Lattice, FindsWhatRunningEachPathAloneFinds, ()) {
  const Execution execution = random_execution(4, 30, 8);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const RandomMonitors monitors(execution, 3, seed, *rc::gen::inRange(2u, 12u));
  const Truth truth = truth_of(execution, monitors);
  Options options;
  options.until = Until::All;
  const Exploration found = run_lattice(lattice_messages(execution), monitors, options);
  std::set<std::pair<std::size_t, std::vector<Count>>> failing;
  for (const Violation& violation : found.violations) {
    check_violation(execution, monitors, violation);
    RC_ASSERT(failing.insert({violation.monitor, padded(violation.cut, execution.threads)}).second);
  }
  RC_ASSERT(failing == truth.failing);
}

RC_GTEST_PROP(Lattice, OneForEachMonitorIsTheEarliest, ()) {
  const Execution execution = random_execution(4, 30, 8);
  const RandomMonitors monitors(execution, 3, *rc::gen::arbitrary<std::uint64_t>(), 6);
  const Truth truth = truth_of(execution, monitors);
  const Exploration found = run_lattice(lattice_messages(execution), monitors, {});
  std::map<std::size_t, std::size_t> earliest, told;
  const auto level = [](const std::vector<Count>& cut) {
    return std::accumulate(cut.begin(), cut.end(), std::size_t{0});
  };
  for (const auto& [monitor, cut] : truth.failing) {
    const auto [entry, fresh] = earliest.emplace(monitor, level(cut));
    if (!fresh) entry->second = std::min(entry->second, level(cut));
  }
  for (const Violation& violation : found.violations) {
    check_violation(execution, monitors, violation);
    RC_ASSERT(told.emplace(violation.monitor, level(violation.cut)).second);
  }
  RC_ASSERT(told == earliest);
}

// Levels that wait for more events do not hide what has come: all runs of these are known.
RC_GTEST_PROP(Lattice, LooksAheadOfLevelsThatWait, ()) {
  Execution execution = random_execution(4, 30, 9);
  std::erase_if(execution.actions, [](const Action& a) { return !a.relevant && a.kind == Action::Internal; });
  execution.actions.resize(*rc::gen::inRange<std::size_t>(0, execution.actions.size() + 1));
  const RandomMonitors monitors(execution, 3, *rc::gen::arbitrary<std::uint64_t>(), *rc::gen::inRange(2u, 12u));
  std::set<std::uint32_t> expected, found;
  for (const auto& [monitor, cut] : truth_of(execution, monitors).failing)
    expected.insert(static_cast<std::uint32_t>(monitor));
  Lattice lattice(monitors, {});
  for (const Message& message : lattice_messages(execution)) {
    if (message.kind == Message::Kind::End) continue; // every thread may go on
    RC_ASSERT(!lattice.add(message));
    if (*rc::gen::inRange(0, 2) == 0) lattice.advance();
  }
  for (const Violation& violation : lattice.result().violations) found.insert(violation.monitor);
  const auto ahead = lattice.look_ahead(1'000'000);
  RC_ASSERT(ahead.has_value());
  found.insert(ahead->begin(), ahead->end());
  RC_ASSERT(found == expected);
  RC_ASSERT(execution.actions.empty() || lattice.look_ahead(0) == std::nullopt || lattice.result().end != End::Waiting);
}

// Shuffled, repeated, and expanded whenever possible.
RC_GTEST_PROP(Lattice, DoesNotDependOnTheOrderOfMessages, ()) {
  const Execution execution = random_execution(4, 30, 9);
  const RandomMonitors monitors(execution, 2, *rc::gen::arbitrary<std::uint64_t>(), 9);
  std::vector<Message> messages = lattice_messages(execution);
  Options options;
  options.until = Until::All;
  const Exploration straight = run_lattice(messages, monitors, options);
  for (std::size_t i = messages.size(); i > 1; --i)
    std::swap(messages[i - 1], messages[*rc::gen::inRange<std::size_t>(0, i)]);
  messages.push_back(messages.front());
  messages.insert(messages.begin() + static_cast<std::ptrdiff_t>(messages.size() / 2), messages[0]);
  const Exploration shuffled = run_lattice(messages, monitors, options);
  RC_ASSERT(shuffled.statistics.cuts == straight.statistics.cuts);
  RC_ASSERT(shuffled.violations.size() == straight.violations.size());
  for (std::size_t i = 0; i < straight.violations.size(); ++i) {
    RC_ASSERT(shuffled.violations[i].monitor == straight.violations[i].monitor);
    RC_ASSERT(padded(shuffled.violations[i].cut, execution.threads) ==
              padded(straight.violations[i].cut, execution.threads));
    RC_ASSERT(shuffled.violations[i].path == straight.violations[i].path);
  }
}

// Threads that never synchronise: the number of cuts is a product, and the levels are wide enough to be shared.
Execution independent(std::size_t threads, std::size_t each) {
  Execution out;
  out.threads = threads;
  out.objects = threads;
  for (std::size_t k = 0; k < each; ++k)
    for (ThreadNumber t = 0; t < threads; ++t) out.actions.push_back({Action::Write, t, t, true});
  return out;
}

// Levels from one cut to some thousands: alone, in few parts, in many; more workers than the machine has cores.
TEST(Lattice, WorkersAgreeWithOneAlone) {
  const Execution execution = independent(5, 9);
  const RandomMonitors never(execution, 1, 0, 1'000'000'000);
  EXPECT_EQ(run_lattice(lattice_messages(execution), never, {}).statistics.cuts, 100'000u);
  std::size_t violations = 0;
  for (std::uint64_t seed = 1; seed < 5; ++seed) {
    const RandomMonitors monitors(execution, 2, seed, 25);
    Options options;
    options.until = seed == 2 ? Until::EachMonitor : seed == 3 ? Until::First : Until::All;
    options.max_violations = 20;
    options.max_width = seed == 4 ? 700 : 0;
    const Exploration alone = run_lattice(lattice_messages(execution), monitors, options);
    for (const unsigned workers : {2u, 3u, 8u}) {
      options.workers = workers;
      expect_same(alone, run_lattice(lattice_messages(execution), monitors, options));
    }
    violations += alone.violations.size();
  }
  EXPECT_GT(violations, 0u);
}

// Narrow levels, hundreds of them, with new packings in between; threads that never go far from each other.
TEST(Lattice, WorkersAgreeOnNarrowLevels) {
  Execution execution;
  execution.threads = execution.objects = 4;
  for (std::size_t k = 0; k < 100; ++k) {
    for (ThreadNumber t = 0; t < 4; ++t) {
      if (k % 6 == 5) execution.actions.push_back({Action::Read, t, (t + 1) % 4, false});
      execution.actions.push_back({Action::Write, t, t, true});
    }
  }
  Options options;
  const RandomMonitors never(execution, 1, 0, 1'000'000'000);
  const Exploration all = run_lattice(lattice_messages(execution), never, options);
  EXPECT_EQ(all.statistics.levels, 401u);
  EXPECT_GT(all.statistics.widest, 100u);
  EXPECT_LT(all.statistics.widest, 1'000u);
  options.workers = 2;
  expect_same(all, run_lattice(lattice_messages(execution), never, options));
  options.until = Until::All;
  const RandomMonitors monitors(execution, 3, 11, 3);
  options.workers = 1;
  const Exploration alone = run_lattice(lattice_messages(execution), monitors, options);
  EXPECT_FALSE(alone.violations.empty());
  for (const unsigned workers : {2u, 5u}) {
    options.workers = workers;
    expect_same(alone, run_lattice(lattice_messages(execution), monitors, options));
  }
}

TEST(Lattice, ManyThreadsNeedManyWords) {
  // Twenty pairs of threads, one pair after the other; the two of a pair, with six steps each, are independent.
  Execution execution;
  execution.threads = 40;
  execution.objects = 40;
  for (ThreadNumber pair = 0; pair < 40; pair += 2) {
    for (ThreadNumber t = pair; t < pair + 2; ++t) {
      for (std::size_t earlier = 0; earlier < pair; ++earlier)
        execution.actions.push_back({Action::Read, t, earlier, false});
      for (int i = 0; i < 6; ++i) execution.actions.push_back({Action::Write, t, t, true});
    }
  }
  const RandomMonitors never(execution, 1, 0, 1'000'000'000);
  const Exploration found = run_lattice(lattice_messages(execution), never, {});
  EXPECT_EQ(found.end, End::Complete);
  EXPECT_EQ(found.statistics.levels, 241u);
  EXPECT_EQ(found.statistics.cuts, 20u * 48 + 1);
}

TEST(Lattice, WidthIsBoundedAndSaysSo) {
  const Execution execution = independent(4, 6);
  const RandomMonitors never(execution, 1, 0, 1'000'000'000);
  Options options;
  options.max_width = 10;
  const Exploration found = run_lattice(lattice_messages(execution), never, options);
  EXPECT_EQ(found.end, End::Complete);
  EXPECT_TRUE(found.bounded());
  EXPECT_EQ(found.statistics.levels, 25u); // the observed run is always among what is kept
}

TEST(Lattice, BudgetsEndCleanly) {
  const Execution execution = independent(6, 8);
  const RandomMonitors never(execution, 1, 0, 1'000'000'000);
  Options options;
  options.memory_bytes = 100'000;
  EXPECT_EQ(run_lattice(lattice_messages(execution), never, options).end, End::OutOfMemory);
  options.memory_bytes = 0;
  options.budget_seconds = 1e-9;
  EXPECT_EQ(run_lattice(lattice_messages(execution), never, options).end, End::OutOfTime);
}

TEST(Lattice, ObjectsToMessagesThatContradictThemselves) {
  const Execution execution = independent(2, 2);
  const RandomMonitors never(execution, 1, 0, 1'000'000'000);
  const auto clock = [](std::initializer_list<Count> c) { return std::make_shared<const Clock>(c); };
  const auto first_error = [&](std::vector<Message> messages) {
    Lattice lattice(never, {});
    for (const Message& message : messages)
      if (const auto wrong = lattice.add(message)) return wrong->message;
    return std::string();
  };
  Message first, second;
  first.clock = clock({1});
  second.sequence = 1;
  second.clock = clock({2});
  EXPECT_EQ(first_error({second, first}), "");
  second.clock = clock({3});
  EXPECT_NE(first_error({first, second}), "");
  EXPECT_NE(first_error({second, first}), "");
  first.clock = clock({1, 5});
  second.clock = clock({2, 4});
  EXPECT_NE(first_error({first, second}), "");
  first.clock = nullptr;
  EXPECT_NE(first_error({first}), "");
  Message far;
  far.thread = 0xffffffff;
  EXPECT_NE(first_error({far}), "");
  Message end;
  end.kind = Message::Kind::End;
  first.clock = clock({1});
  second.clock = clock({2});
  EXPECT_NE(first_error({end, second}), "");
}

TEST(Lattice, WaitsForTheNextEventOfEveryThread) {
  Execution execution = independent(2, 2);
  const RandomMonitors never(execution, 1, 0, 1'000'000'000);
  std::vector<Message> messages = lattice_messages(execution);
  Lattice lattice(never, {});
  std::vector<Message> of_second;
  for (const Message& message : messages) {
    if (message.thread == 1) of_second.push_back(message);
    else EXPECT_FALSE(lattice.add(message));
  }
  lattice.advance();
  EXPECT_EQ(lattice.result().statistics.levels, 1u) << "the second thread could still come first";
  EXPECT_EQ(lattice.result().end, End::Waiting);
  for (const Message& message : of_second) EXPECT_FALSE(lattice.add(message));
  lattice.advance();
  EXPECT_EQ(lattice.result().end, End::Complete);
  EXPECT_EQ(lattice.result().statistics.cuts, 9u);
  EXPECT_EQ(lattice.unreached(), 0u);
}

TEST(Lattice, AThreadThatJoinsAnotherDoesNotHoldUpTheLattice) {
  // Main creates thread 1, waits for it, and writes once after it; meanwhile thread 1 sends a thousand events.
  Execution execution;
  execution.threads = 2;
  execution.objects = 1;
  for (int i = 0; i < 1000; ++i) execution.actions.push_back({Action::Write, 1, 0, true});
  execution.actions.push_back({Action::Write, 0, 0, true});
  const RandomMonitors never(execution, 1, 0, 1'000'000'000);
  Options options;
  options.path_steps = 50;
  Lattice lattice(never, options);
  Message fork, waits;
  fork.kind = Message::Kind::Fork;
  fork.other = 1;
  waits.kind = Message::Kind::Waits;
  waits.other = 1;
  waits.sequence = 1;
  EXPECT_FALSE(lattice.add(fork));
  EXPECT_FALSE(lattice.add(waits));
  std::uint64_t level = 1;
  for (Message message : lattice_messages(execution, false)) {
    if (message.thread == 0) message.sequence += 2;
    EXPECT_FALSE(lattice.add(message));
    lattice.advance();
    if (message.thread == 1 && message.kind == Message::Kind::Event) {
      EXPECT_EQ(lattice.result().statistics.levels, ++level);
    }
  }
  EXPECT_EQ(lattice.result().end, End::Complete);
  EXPECT_EQ(lattice.result().statistics.cuts, 1002u);
  EXPECT_GT(lattice.forgotten(1), 500u);
}

TEST(Lattice, NobodyEntersAGluedBlock) {
  Execution execution = independent(2, 3);
  const RandomMonitors never(execution, 1, 0, 1'000'000'000);
  std::vector<Message> messages = lattice_messages(execution);
  for (Message& message : messages)
    message.glued = message.kind == Message::Kind::Event && message.thread == 0 && message.event < 4;
  // Thread 0 has one block of three: 4 cuts of it before, 4 after, and two inside for each of thread 1's 4 places.
  EXPECT_EQ(run_lattice(messages, never, {}).statistics.cuts, 4u + 4u + 2u * 4u);
  EXPECT_EQ(run_lattice(messages, never, {}).statistics.edges, 3u + 3u + 3u * 4u);
}

// The relevant events of an execution as a causal model, with or without its clocks.
class ExecutionModel : public causality::Model {
public:
  ExecutionModel(const Execution& execution, bool with_clocks) : steps_(execution.threads), with_clocks_(with_clocks) {
    clocks_.of_step.resize(execution.threads);
    for (const Sent& sent : messages_of(execution)) {
      steps_[sent.thread].push_back({sent.action, true, false});
      clocks_.of_step[sent.thread].push_back(sent.clock);
    }
  }
  std::string_view name() const override { return "test"; }
  std::size_t threads() const override { return steps_.size(); }
  std::span<const causality::ModelStep> steps(ThreadNumber thread) const override { return steps_[thread]; }
  bool enabled(causality::Cut cut, causality::ModelState, ThreadNumber thread) const override {
    for (ThreadNumber t = 0; t < steps_.size(); ++t)
      if (t != thread && cut[t] < (*clocks_.of_step[thread][cut[thread]])[t]) return false;
    return true;
  }
  const Clocks* clocks() const override { return with_clocks_ ? &clocks_ : nullptr; }

private:
  std::vector<std::vector<causality::ModelStep>> steps_;
  Clocks clocks_;
  bool with_clocks_;
};

RC_GTEST_PROP(CountRuns, CountsWhatEnumerationCounts, ()) {
  const Execution execution = random_execution(4, 24, 8);
  const RandomMonitors monitors(execution, 2, *rc::gen::arbitrary<std::uint64_t>(), 5);
  std::uint64_t runs = 0;
  std::vector<std::uint64_t> violating(2, 0);
  std::set<std::vector<Count>> cuts;
  for_each_run(execution, [&](const std::vector<std::size_t>& run) {
    ++runs;
    for (const auto& [monitor, cut] : first_failures(execution, monitors, run, &cuts)) ++violating[monitor];
  });
  const RunCount counted = count_runs(ExecutionModel(execution, true), monitors, {});
  RC_ASSERT(counted.runs == BigNumber(runs));
  RC_ASSERT(counted.cuts == cuts.size());
  for (std::size_t m = 0; m < 2; ++m) RC_ASSERT(counted.violating[m] == BigNumber(violating[m]));
}

RC_GTEST_PROP(Explore, AModelWithoutClocksIsExploredLikeOneWithThem, ()) {
  const Execution execution = random_execution(4, 24, 9);
  const RandomMonitors monitors(execution, 2, *rc::gen::arbitrary<std::uint64_t>(), 8);
  Options options;
  options.until = Until::All;
  const Exploration fast = explore(ExecutionModel(execution, true), monitors, options);
  const Exploration plain = explore(ExecutionModel(execution, false), monitors, options);
  RC_ASSERT(fast.statistics.cuts == plain.statistics.cuts);
  RC_ASSERT(fast.violations.size() == plain.violations.size());
  for (std::size_t i = 0; i < fast.violations.size(); ++i) {
    RC_ASSERT(fast.violations[i].cut == plain.violations[i].cut);
    RC_ASSERT(fast.violations[i].path == plain.violations[i].path);
  }
}

TEST(BigNumber, AddsSubtractsAndPrints) {
  BigNumber sum;
  EXPECT_EQ(sum.text(), "0");
  for (int i = 0; i < 200; ++i) sum += i == 0 ? BigNumber(1) : sum; // 2^199
  EXPECT_EQ(sum.text(), "803469022129495137770981046170581301261101496891396417650688");
  BigNumber one_less = sum;
  one_less -= 1;
  EXPECT_EQ(one_less.text(), "803469022129495137770981046170581301261101496891396417650687");
  sum -= one_less;
  EXPECT_EQ(sum, BigNumber(1));
}

TEST(Paths, KeepOnlyWhatLeadsToTheNewestLevel) {
  Paths paths(0);
  // Two strands for ever, of which the second always comes from the first: everything else is trunk.
  for (std::uint32_t level = 0; level < 100'000; ++level) {
    const Strand strands[] = {{0, level % 7}, {0, 99}};
    paths.append({Paths::Piece(strands)});
    if (paths.sweep_is_due()) paths.sweep();
  }
  EXPECT_LT(paths.bytes(), 600'000u);
  std::uint64_t begins = 1;
  const auto path = paths.path(1, begins);
  EXPECT_EQ(begins, 0u);
  ASSERT_EQ(path.size(), 100'000u);
  EXPECT_EQ(path.back(), 99u);
  for (std::uint32_t level = 0; level + 1 < 100'000; ++level) ASSERT_EQ(path[level], level % 7);
}

} // namespace
} // namespace sooth::explore
