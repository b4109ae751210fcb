// The linear tier: what it finds is a race under the strictest model, and what it drops is counted by its reason.
#include <gtest/gtest.h>

#include <random>

#include "predict/question/feasibility.h"
#include "predict/races/linear.h"
#include "trace/verify.h"
#include "verify_builder.h"

namespace sooth::predict {
namespace {

using trace::EventKind;
using trace::testing::TraceBuilder;

// Accesses of 4 variables, some of them partly overlapping, by 3 threads, under 2 locks or none.
trace::Trace random_trace(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  TraceBuilder b(3);
  std::uint32_t owner[2] = {3, 3};
  std::uint8_t memory[32] = {};
  for (int i = 0; i < 30; ++i) {
    const auto t = static_cast<std::uint32_t>(random() % 3);
    const std::uint64_t lock = random() % 2;
    if (random() % 3 == 0) {
      if (owner[lock] == 3) b.add(t, EventKind::Acquire, 0x9000 + 8 * lock), owner[lock] = t;
      else if (owner[lock] == t) b.add(t, EventKind::Release, 0x9000 + 8 * lock), owner[lock] = 3;
      continue;
    }
    const std::uint64_t at = 6 * (random() % 4);
    if (random() % 2 == 0) {
      for (std::uint64_t k = 0; k < 4; ++k)
        memory[at + k] = static_cast<std::uint8_t>(seed + static_cast<std::uint64_t>(i));
      const std::uint64_t byte = memory[at];
      b.write(t, 0x1000 + at, 4, byte * 0x01010101);
    } else {
      std::uint64_t value = 0;
      for (std::uint64_t k = 0; k < 4; ++k) value |= std::uint64_t{memory[at + k]} << (8 * k);
      b.read(t, 0x1000 + at, 4, value);
    }
  }
  return b.trace;
}

TEST(LinearTier, WhatItFindsIsARaceUnderEveryModel) {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const trace::Trace t = random_trace(seed);
    const causality::Computation c = causality::compute(t);
    for (const auto model : {witness::Model::HappensBefore, witness::Model::Maximal}) {
      const auto feasibility = make_feasibility(c, model, {});
      for (const RaceInstance& race : linear_pass(t).races) {
        const Answer answer =
            feasibility->ask({{c.step_of_event[race.first], c.step_of_event[race.second]}, {}, {}, {}});
        ASSERT_EQ(answer.truth, Truth::Yes) << "seed " << seed << ", events " << race.first << " and " << race.second;
        ++found;
      }
    }
  }
  EXPECT_GT(found, 500u);
}

// Clocks of many threads are joined in another way than those of few.
TEST(LinearTier, ThreadsThatDoNothingChangeNothing) {
  constexpr std::uint32_t kAmong = 29, kPlaces[] = {5, 13, 28};
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    trace::Trace t = random_trace(seed);
    const LinearResult few = linear_pass(t);
    t.threads.resize(kAmong);
    for (trace::Event& e : t.events) e.thread = kPlaces[e.thread];
    const LinearResult many = linear_pass(t);
    ASSERT_EQ(few.races, many.races) << "seed " << seed;
    EXPECT_EQ(few.one_lock, many.one_lock);
    found += many.races.size();
  }
  EXPECT_GT(found, 250u);
}

TEST(LinearTier, CountsWhatItDropsByReason) {
  TraceBuilder b(2);
  b.write(0, 0x1000, 8, 1); // one thread
  b.read(0, 0x1008, 8, 0);  // read only
  b.read(1, 0x1008, 8, 0);
  b.access(0, EventKind::AtomicWrite, 0x1010, 8, 1); // atomic
  b.access(1, EventKind::AtomicRead, 0x1010, 8, 1);
  for (const std::uint32_t t : {0u, 1u}) { // one lock
    b.add(t, EventKind::Acquire, 0x9000);
    b.write(t, 0x1018, 8, t);
    b.add(t, EventKind::Release, 0x9000);
  }
  const LinearResult result = linear_pass(b.trace);
  EXPECT_EQ(result.granules, 4u);
  EXPECT_EQ(result.one_thread, 1u);
  EXPECT_EQ(result.read_only, 1u);
  EXPECT_EQ(result.atomic, 1u);
  EXPECT_EQ(result.one_lock, 1u);
  EXPECT_TRUE(result.races.empty());
}

TEST(LinearTier, AFreeRaceIsFoundWithItsEvents) {
  TraceBuilder b(2);
  b.write(0, 0x1000, 8, 1);
  b.write(1, 0x1000, 8, 1);
  ASSERT_EQ(linear_pass(b.trace).races.size(), 1u);
  EXPECT_EQ(linear_pass(b.trace).races[0], (RaceInstance{0, 1}));
}

} // namespace
} // namespace sooth::predict
