// Blocks that nobody marked: how many the first pass knows of (survey/split_updates.h), and how
// many the engine suggests that sees the whole trace (predict/atomicity/unmarked_blocks.h). If the
// first pass says that no engine has to look, the numbers are the same.
//
// The random programs run few functions in four threads: each reads a variable under a lock, and
// later writes one, perhaps the same, perhaps after another look. For each rule there is a mutant,
// a survey that is told something that is not so; the comparison has to notice it.
#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "causality/computation/computation.h"
#include "predict/atomicity/unmarked_blocks.h"
#include "survey/sections.h"
#include "survey/sharing.h"
#include "trace/kind_groups.h"
#include "trace/reader.h"
#include "trace/verify.h"
#include "trace/writer.h"
#include "unit/verify_builder.h"

namespace sooth::cross {
namespace {

using trace::Event;
using trace::EventKind;
using trace::Trace;
using trace::testing::TraceBuilder;

class Functions {
public:
  explicit Functions(std::uint64_t seed) : random_(seed), builder_(kThreads) {
    for (std::uint32_t f = 0; f < kFunctions; ++f) {
      const auto site = [&](std::uint32_t line) {
        return builder_.site("f.c", 10 * f + line, "f" + std::to_string(f), "v");
      };
      sites_[f] = {site(0), site(1), site(2), site(2), site(5)};
    }
  }

  Trace make() {
    for (std::uint32_t t = 0; t < kThreads; ++t) plan(t);
    const bool one_by_one = pick(5) == 0, grandchild = pick(3) == 0;
    std::vector<std::uint32_t> running;
    const auto start = [&](std::uint32_t creator, std::uint32_t child) {
      builder_.add(creator, EventKind::Fork, 0, child);
      builder_.add(child, EventKind::ThreadStart, 0, 0);
      running.push_back(child);
    };
    const auto end = [&](std::uint32_t child, std::uint32_t joiner) {
      while (!plans_[child].empty()) go_on(child);
      builder_.add(child, EventKind::ThreadEnd, 0, 0);
      builder_.add(joiner, EventKind::Join, 0, child);
    };
    start(0, 1);
    if (one_by_one) end(1, 0);
    start(0, 2);
    if (grandchild) start(2, 3);
    if (pick(2) == 0) running.push_back(0);
    for (int i = 0; i < 60; ++i) go_on(running[pick(static_cast<std::uint32_t>(running.size()))]);
    if (grandchild) end(3, pick(4) == 0 ? 0 : 2);
    if (!one_by_one) end(1, 0);
    end(2, 0);
    if (!grandchild) start(0, 3);
    while (!plans_[0].empty()) go_on(0);
    if (!grandchild) end(3, 0);
    builder_.trace.process.end = trace::EndKind::Exit;
    return std::move(builder_.trace);
  }

private:
  static constexpr std::uint32_t kThreads = 4, kFunctions = 3;
  static constexpr std::uint64_t kMemory = 0x10000, kLock = 0x30000;
  struct Sites {
    std::uint32_t function, read, write, update, look;
  };
  struct Variable {
    std::uint64_t address;
    std::uint32_t size;
  };
  using Doing = std::function<void()>;

  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
  Variable variable() {
    constexpr std::array<Variable, 4> kAll{{{kMemory, 4}, {kMemory + 4, 4}, {kMemory + 8, 8}, {kMemory, 8}}};
    return kAll[pick(40) == 0 ? 3 : pick(3)];
  }
  void access(std::uint32_t t, const Variable& v, bool write, std::uint32_t site) {
    std::uint64_t value = 0;
    for (std::uint32_t i = 0; i < v.size; ++i) {
      std::uint8_t& byte = memory_[v.address - kMemory + i];
      if (write) byte = static_cast<std::uint8_t>(pick(3));
      value |= std::uint64_t{byte} << (8 * i);
    }
    (write ? builder_.write(t, v.address, v.size, value) : builder_.read(t, v.address, v.size, value)).site = site;
  }

  // What one thread does, in parts that nobody interrupts.
  void plan(std::uint32_t t) {
    const auto add = [&](Doing doing) { plans_[t].push_back(std::move(doing)); };
    for (std::uint32_t i = 0, n = 1 + pick(3); i < n; ++i) {
      const Sites sites = sites_[pick(kFunctions)];
      const Variable first = variable(), second = pick(4) == 0 ? variable() : first;
      const std::uint64_t lock = kLock + 64 * pick(2), other = pick(6) == 0 ? kLock + 64 * pick(2) : lock;
      const bool one_section = pick(6) == 0, two_calls = pick(6) == 0, writes = pick(4) != 0, inner = pick(6) == 0;
      const std::uint32_t looks = pick(6);
      const auto enter = [this, t, sites] { builder_.add(t, EventKind::Enter).site = sites.function; };
      const auto exit = [this, t] { builder_.add(t, EventKind::Exit); };
      add(enter);
      add([=, this] {
        builder_.add(t, EventKind::Acquire, lock);
        access(t, first, false, sites.read);
        if (!one_section) builder_.add(t, EventKind::Release, lock);
        if (!one_section) return;
        if (writes) access(t, second, true, sites.write);
        builder_.add(t, EventKind::Release, lock);
      });
      if (two_calls) add(exit);
      if (two_calls) add(enter);
      if (!one_section)
        add([=, this] {
          builder_.add(t, EventKind::Acquire, other);
          if (inner) enter();
          if (looks == 0) access(t, second, false, sites.look);
          if (looks == 1) access(t, second, false, sites.update);
          if (looks == 2) access(t, second, false, sites.read);
          if (writes) access(t, second, true, sites.write);
          if (inner) builder_.add(t, EventKind::Exit, 0, 1);
          builder_.add(t, EventKind::Release, other);
        });
      add(exit);
    }
  }
  void go_on(std::uint32_t t) {
    if (plans_[t].empty()) return;
    plans_[t].front()();
    plans_[t].pop_front();
  }

  std::mt19937_64 random_;
  TraceBuilder builder_;
  std::array<Sites, kFunctions> sites_{};
  std::array<std::deque<Doing>, kThreads> plans_;
  std::array<std::uint8_t, 16> memory_{};
};

using Lie = std::function<bool(Event&)>;

class Survey : public survey::Sharing {
public:
  explicit Survey(Lie lie) : lie_(std::move(lie)) {}
  void survey(const Event& event) override {
    Event seen = event;
    if (!lie_ || lie_(seen)) Sharing::survey(seen);
  }

private:
  Lie lie_;
};

survey::Settled settled(const std::vector<std::uint8_t>& file, const Lie& lie) {
  Survey survey(lie);
  trace::ReadOptions options;
  options.sieve = &survey;
  EXPECT_TRUE(trace::read_trace_bytes(file, options).ok());
  return survey.settled();
}

// The functions of the suggested blocks, one for each.
std::vector<std::string> suggested(const std::vector<std::uint8_t>& file, bool list) {
  const auto read = trace::read_trace_bytes(file);
  EXPECT_TRUE(read.ok());
  const Trace& trace = read.value();
  EXPECT_TRUE(trace::verify(trace).legal());
  const causality::Computation computation = causality::compute(trace);
  const auto feasibility = predict::make_feasibility(computation, witness::Model::Maximal, predict::Limits());
  std::vector<std::string> out;
  for (predict::Suggestion& block :
       predict::suggest_blocks(trace, computation, *feasibility, predict::Limits(), {}, list))
    out.push_back(std::move(block.function));
  std::ranges::sort(out);
  return out;
}
std::vector<std::string> functions(const survey::Settled& known) {
  std::vector<std::string> out;
  for (const survey::SplitUpdate& block : known.suggested) out.push_back(block.function);
  std::ranges::sort(out);
  return out;
}

constexpr std::uint64_t kSeeds = 2500;

TEST(Unmarked, TheFirstPassKnowsWhichThereAre) {
  unsigned some = 0, none = 0, open = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const std::vector<std::uint8_t> file = write_trace_bytes(Functions(seed).make());
    const survey::Settled known = settled(file, {});
    const std::vector<std::string> all = suggested(file, false);
    ASSERT_EQ(suggested(file, true), all) << "seed " << seed;
    if (known.unmarked) {
      ASSERT_EQ(functions(known), all) << "seed " << seed;
    }
    some += known.unmarked && !all.empty();
    none += known.unmarked && all.empty();
    open += !known.unmarked;
  }
  EXPECT_GT(some, 50u);
  EXPECT_GT(none, 100u);
  EXPECT_GT(open, 20u);
}

// What the worker finds out, batch by batch, is what the caller's thread finds out by itself.
TEST(Unmarked, ItDoesNotMatterWhoLooksAtTheSections) {
  unsigned some = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Trace trace = Functions(seed).make();
    survey::Sections beside(3), alone(trace.events.size() + 1);
    survey::StrongOrder order;
    beside.begin(trace);
    alone.begin(trace);
    for (std::uint32_t thread = 0; thread < trace.threads.size(); ++thread) {
      unsigned held = 0;
      for (const Event& e : trace.events) {
        if (e.thread != thread) continue;
        if (e.kind == EventKind::Acquire) ++held;
        if (e.kind == EventKind::Release) --held;
        order.see(e);
        if (is_access(e.kind) && held == 0) continue;
        beside.see(e);
        alone.see(e);
      }
    }
    for (survey::Sections* sections : {&beside, &alone}) {
      sections->finish();
      sections->updates().finish(order, [](std::uint64_t granule) { return granule % 2 == 0; });
    }
    ASSERT_EQ(beside.updates().certain(), alone.updates().certain()) << "seed " << seed;
    ASSERT_EQ(beside.updates().open(), alone.updates().open()) << "seed " << seed;
    ASSERT_EQ(beside.views().any(), alone.views().any()) << "seed " << seed;
    some += !alone.updates().certain().empty() || alone.updates().open() || alone.views().any() ? 1 : 0;
  }
  EXPECT_GT(some, 50u);
}

// --- mutants -------------------------------------------------------------------------------------

bool is_noticed(const Lie& lie) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const std::vector<std::uint8_t> file = write_trace_bytes(Functions(seed).make());
    const survey::Settled known = settled(file, lie);
    if (known.unmarked && functions(known) != suggested(file, false)) return true;
  }
  return false;
}

TEST(UnmarkedMutants, SectionsTakenForOne) {
  EXPECT_TRUE(is_noticed([](Event& e) { return e.kind != EventKind::Acquire && e.kind != EventKind::Release; }));
}
TEST(UnmarkedMutants, LocksTakenForOne) {
  EXPECT_TRUE(is_noticed([](Event& e) {
    if (e.kind == EventKind::Acquire || e.kind == EventKind::Release) e.address = 0x30000;
    return true;
  }));
}
TEST(UnmarkedMutants, CallsThatNobodyWasToldOf) {
  EXPECT_TRUE(is_noticed([](Event& e) { return e.kind != EventKind::Exit || e.value != 0; }));
}
TEST(UnmarkedMutants, SecondLooksThatNobodyWasToldOf) {
  EXPECT_TRUE(is_noticed([](Event& e) { return e.kind != EventKind::Read || e.site % 5 != 0; }));
}
TEST(UnmarkedMutants, VariablesTakenForOne) {
  EXPECT_TRUE(is_noticed([](Event& e) {
    if (e.address == 0x10004) e.address = 0x10000;
    return true;
  }));
}
TEST(UnmarkedMutants, ThreadsTakenForUnordered) {
  EXPECT_TRUE(is_noticed([](Event& e) { return e.kind != EventKind::Join; }));
}
TEST(UnmarkedMutants, OtherPlacesTakenForTheSame) { // of one function
  EXPECT_TRUE(is_noticed([](Event& e) {
    if (e.kind == EventKind::Read) e.site = 2;
    return true;
  }));
}

} // namespace
} // namespace sooth::cross
