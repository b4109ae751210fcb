// The tiers against the plain definition, on small random traces and questions of every shape.
#include <gtest/gtest.h>

#include <random>

#include "plain_search.h"
#include "predict/question/execution.h"
#include "predict/question/feasibility.h"
#include "trace/objects.h"
#include "trace/verify.h"
#include "verify_builder.h"
#include "verify_run.h"

namespace sooth::predict {
namespace {

using trace::EventKind;
using trace::testing::TraceBuilder;
using witness::Model;

constexpr Model kModels[] = {Model::HappensBefore, Model::HappensBeforeLocks, Model::WeakHappensBefore,
                             Model::WeakHappensBeforeLocks, Model::Maximal};

// Threads that read, write, lock, try and hold at random; few variables and values, so that much depends on little.
class SmallRun {
public:
  explicit SmallRun(std::uint64_t seed)
      : random_(seed), threads_(2 + static_cast<std::uint32_t>(pick(2))), builder_(threads_) {}

  trace::Trace make(std::size_t events) {
    held_.resize(threads_);
    while (builder_.trace.events.size() < events) step(static_cast<std::uint32_t>(pick(threads_)));
    return builder_.trace;
  }

private:
  std::uint64_t pick(std::uint64_t below) { return random_() % below; }
  void step(std::uint32_t t) {
    const std::uint64_t x = pick(2);
    switch (pick(9)) {
    case 0:
    case 1: write(t, x, pick(2)); return;
    case 2:
    case 3: builder_.read(t, 0x1000 + 8 * x, 4, memory_[x]); return;
    case 4: {
      const std::uint64_t value = pick(2);
      builder_.rmw(t, 0x1000 + 8 * x, 4, memory_[x], value);
      memory_[x] = value;
      return;
    }
    case 8:
      builder_.access(t, pick(2) == 0 ? EventKind::Read : EventKind::Write, 0x1000 + 8 * x, 4, memory_[x],
                      trace::kHeld);
      return;
    default: return lock(t, pick(2));
    }
  }
  void write(std::uint32_t t, std::uint64_t x, std::uint64_t value) {
    builder_.write(t, 0x1000 + 8 * x, 4, value);
    memory_[x] = value;
  }
  void lock(std::uint32_t t, std::uint64_t l) {
    const std::uint64_t address = 0x9000 + 8 * l;
    Lock& lock = locks_[l];
    if (lock.owner == t) {
      builder_.add(t, EventKind::Release, address, trace::kLockReadWrite);
      lock.owner = kNobody;
    } else if (lock.readers.contains(t)) {
      builder_.add(t, EventKind::ReleaseShared, address, trace::kLockReadWrite);
      lock.readers.erase(t);
    } else if (lock.owner != kNobody || !lock.readers.empty()) {
      if (lock.owner == kNobody && pick(2) == 0) {
        builder_.add(t, EventKind::AcquireShared, address, trace::kLockReadWrite);
        lock.readers.insert(t);
      } else {
        builder_.add(t, EventKind::Acquire, address, trace::kLockReadWrite | trace::kLockTry, trace::kFailed);
      }
    } else if (pick(4) == 0) {
      builder_.add(t, EventKind::AcquireShared, address, trace::kLockReadWrite);
      lock.readers.insert(t);
    } else {
      builder_.add(t, EventKind::Acquire, address, trace::kLockReadWrite);
      lock.owner = t;
    }
  }

  static constexpr std::uint32_t kNobody = 0xffffffff;
  struct Lock {
    std::uint32_t owner = kNobody;
    std::set<std::uint32_t> readers;
  };
  std::mt19937_64 random_;
  std::uint32_t threads_;
  TraceBuilder builder_;
  std::vector<int> held_;
  std::uint64_t memory_[2] = {0, 0};
  Lock locks_[2];
};

struct Tally {
  std::size_t yes = 0, no = 0, other = 0;
  std::map<std::string, std::size_t> tiers;
};

void compare(const causality::Computation& c, const Question& question, const Feasibility& feasibility,
             const Index& index, Tally& tally, const std::string& where) {
  const Answer answer = feasibility.ask(question);
  if (index.model == Model::WeakHappensBefore && index.lock_never_released) {
    EXPECT_EQ(answer.truth, Truth::Undecided);
    return;
  }
  testing::PlainSearch plain(index, question);
  const bool exists = plain.exists();
  if (plain.gave_up) return;
  ASSERT_EQ(answer.truth, exists ? Truth::Yes : Truth::No)
      << where << " model " << static_cast<int>(index.model) << " tier " << answer.tier << " " << answer.reason;
  ++(exists ? tally.yes : tally.no);
  ++tally.tiers[answer.tier];
  if (exists) {
    ASSERT_EQ(objection_to(index, question, answer.run), "") << where;
  }
  (void)c;
}

Question random_question(const causality::Computation& c, std::mt19937_64& random) {
  const auto step = [&] { return static_cast<StepId>(random() % c.steps.size()); };
  Question question;
  switch (random() % 4) {
  case 0: question.done.push_back(step()); break;
  case 1: question.sequence.push_back({step(), step()}); break;
  default: break;
  }
  const StepId first = step();
  question.before.push_back(first);
  for (int i = 0; i < 10; ++i) {
    const StepId second = step();
    if (c.steps[second].thread == c.steps[first].thread) continue;
    question.before.push_back(second);
    break;
  }
  if (!c.orders.empty() && random() % 4 == 0) question.waived.push_back(c.orders[random() % c.orders.size()]);
  return question;
}

TEST(Feasibility, SaysWhatTheDefinitionSaysOnSmallTraces) {
  Tally tally;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    const trace::Trace t = SmallRun(seed).make(6 + seed % 20);
    ASSERT_TRUE(trace::verify(t).legal()) << seed;
    const causality::Computation c = causality::compute(t);
    std::mt19937_64 random(seed);
    std::vector<Question> questions;
    for (int i = 0; i < 4; ++i) questions.push_back(random_question(c, random));
    for (const Model model : kModels) {
      const Index index(c, model);
      const auto feasibility = make_feasibility(c, model, {});
      for (const Question& question : questions) {
        compare(c, question, *feasibility, index, tally, "seed " + std::to_string(seed));
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
  // The test is worth something only if all answers and tiers occur.
  EXPECT_GT(tally.yes, 1000u);
  EXPECT_GT(tally.no, 1000u);
  EXPECT_GT(tally.tiers["search"], 20u);
  for (const auto& [tier, n] : tally.tiers) RecordProperty(tier, static_cast<int>(n));
}

TEST(Feasibility, SaysWhatTheDefinitionSaysWithAllPrimitives) {
  Tally tally;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    trace::Trace t = trace::testing::RandomRun(seed).make(40 + seed % 30);
    separate_objects(t);
    const causality::Computation c = causality::compute(t);
    if (c.steps.empty()) continue;
    std::mt19937_64 random(seed);
    std::vector<Question> questions;
    for (int i = 0; i < 3; ++i) questions.push_back(random_question(c, random));
    for (const Model model : kModels) {
      const Index index(c, model);
      const auto feasibility = make_feasibility(c, model, {});
      for (const Question& question : questions) {
        compare(c, question, *feasibility, index, tally, "run " + std::to_string(seed));
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GT(tally.yes, 100u);
  EXPECT_GT(tally.no, 100u);
}

// The observed order may part a block that stays together (docs/trace_format.md). By steps, x = 2 is then the last write
// before the read, which saw 1: no model may let it see 2.
TEST(Feasibility, AReadNeverSeesAWriteThatOnlyTheOrderOfStepsPutsBeforeIt) {
  TraceBuilder b(3);
  b.read(0, 0x2000, 4, 0);
  b.trace.events.back().flags |= trace::kGlued;
  b.write(1, 0x1000, 4, 2); // parts the block
  b.write(0, 0x1000, 4, 1); // belongs to the first event's step
  b.read(2, 0x1000, 4, 1);
  ASSERT_TRUE(trace::verify(b.trace).legal());
  const causality::Computation c = causality::compute(b.trace);
  const StepId block = c.step_of_event[0], other = c.step_of_event[1], read = c.step_of_event[3];
  ASSERT_EQ(c.step_of_event[2], block);
  for (const Model model : kModels) {
    const Answer answer = make_feasibility(c, model, {})->ask({{}, {read}, {}, {}});
    if (model != Model::Maximal) {
      EXPECT_EQ(answer.truth, Truth::No) << static_cast<int>(model);
      continue;
    }
    ASSERT_EQ(answer.truth, Truth::Yes); // the block alone, or behind the other write
    const std::vector<StepId> run = answer.run;
    const auto last =
        std::ranges::find_if(run.rbegin(), run.rend(), [&](StepId s) { return s == block || s == other; });
    EXPECT_EQ(*last, block);
  }
}

// What cannot be decided in time, or with the memory that is there, is undecided, and says why.
TEST(Feasibility, SaysThatItsBudgetIsSpent) {
  const trace::Trace t = SmallRun(1).make(20);
  const causality::Computation c = causality::compute(t);
  for (const bool time : {true, false}) {
    const Budget budget(time ? 1e-9 : 0, time ? 0 : 1);
    Limits limits;
    limits.budget = &budget;
    const Answer answer = make_feasibility(c, Model::Maximal, limits)->ask({{0}, {}, {}, {}});
    EXPECT_EQ(answer.truth, Truth::Undecided);
    EXPECT_EQ(answer.reason, time ? Budget::kTime : Budget::kMemory);
  }
}

// A window that is smaller than the trace may cost answers, never make wrong ones.
TEST(Feasibility, SmallWindowsNeverInvent) {
  std::size_t decided = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const trace::Trace t = SmallRun(seed).make(24);
    const causality::Computation c = causality::compute(t);
    std::mt19937_64 random(seed);
    for (int i = 0; i < 4; ++i) {
      const Question question = random_question(c, random);
      for (const Model model : {Model::Maximal, Model::WeakHappensBeforeLocks, Model::HappensBeforeLocks}) {
        const Index index(c, model);
        Limits limits;
        limits.window = 12;
        const Answer answer = make_feasibility(c, model, limits)->ask(question);
        ASSERT_EQ(answer.reason.find("internal"), std::string::npos) << seed << answer.reason;
        if (answer.truth == Truth::Undecided) continue;
        testing::PlainSearch plain(index, question);
        const bool exists = plain.exists();
        if (plain.gave_up) continue;
        ASSERT_EQ(answer.truth == Truth::Yes, exists) << seed;
        ++decided;
      }
    }
  }
  EXPECT_GT(decided, 1000u);
}

// A run that has written many locations remembers their last writes in a table; so does its copy.
TEST(Execution, KnowsTheLastWritesOfLongRuns) {
  constexpr std::uint64_t kVariables = 3000;
  TraceBuilder builder(2);
  for (std::uint64_t round = 0; round < 3; ++round)
    for (std::uint64_t x = 0; x < kVariables; ++x)
      if (round == 0 || x % 2 == 0)
        builder.write(static_cast<std::uint32_t>((x + round) % 2), 0x1000 + 8 * x, 4, round + x);
  for (std::uint64_t x = 0; x < kVariables; ++x)
    builder.read(x % 2 == 0 ? 1 : 0, 0x1000 + 8 * x, 4, x % 2 == 0 ? x + 2 : x);
  const causality::Computation computation = causality::compute(builder.trace);
  ASSERT_EQ(computation.locations.size(), kVariables);
  for (const Model model : {Model::WeakHappensBefore, Model::Maximal}) {
    const Index index(computation, model);
    Execution execution(index);
    std::vector<std::uint32_t> last(kVariables, 0);
    for (StepId step = 0; step < computation.steps.size(); ++step) {
      ASSERT_TRUE(execution.allows(step, {})) << step;
      execution.take(step);
      for (const Operation& o : computation.operations_of(step))
        if (o.kind == OperationKind::Write) last[o.object] = model == Model::Maximal ? o.value : step;
    }
    const Execution copy = execution;
    for (std::size_t location = 0; location < kVariables; ++location)
      ASSERT_EQ(copy.memory(location), last[location]) << location;
  }
}

} // namespace
} // namespace sooth::predict
