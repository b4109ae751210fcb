// What comes before what in every run, against plain reachability; and the chains of threads that it rests on.
#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "causality/computation/computation.h"
#include "predict/question/must_order.h"
#include "predict/question/thread_chains.h"
#include "unit/predict_case.h"

namespace sooth::predict {
namespace {

using causality::Computation;
using causality::StepId;
using testing::Case;
using trace::EventKind;

std::size_t chains_of(const Case& run) {
  const std::vector<std::uint32_t> chain = thread_chains(run.trace, causality::compute(run.trace));
  return std::set(chain.begin(), chain.end()).size();
}

TEST(ThreadChains, ThreadsThatAreJoinedBeforeTheNextOneBeginsAreOne) {
  constexpr std::uint32_t kThreads = 100'000;
  for (const std::uint32_t at_a_time : {1u, 4u}) {
    Case run(kThreads + 1);
    for (std::uint32_t first = 1; first <= kThreads; first += at_a_time) {
      for (std::uint32_t t = first; t < first + at_a_time; ++t) run.fork(0, t);
      for (std::uint32_t t = first; t < first + at_a_time; ++t) run.join(0, t);
    }
    EXPECT_EQ(chains_of(run), 1 + at_a_time);
  }
}

TEST(ThreadChains, ThreadsThatNobodyJoinsAreAlone) {
  Case run(5);
  for (std::uint32_t t = 1; t < 5; ++t) {
    run.fork(0, t);
    run.add(t, EventKind::ThreadEnd);
  }
  EXPECT_EQ(chains_of(run), 5u);
}

TEST(ThreadChains, WhatAJoinedThreadHadJoinedIsHandedOn) {
  Case run(5);
  run.fork(0, 1);
  run.fork(1, 2);
  run.join(1, 2);
  run.join(0, 1);
  run.fork(0, 3);
  run.fork(0, 4); // 1 and 2 are over for both
  run.join(0, 3);
  run.join(0, 4);
  EXPECT_EQ(chains_of(run), 3u);
}

// Threads that create, join, post and wait at random. Main joins nobody twice.
Case random_lives(std::uint32_t seed) {
  constexpr std::uint32_t kThreads = 14;
  constexpr std::uint64_t kSemaphore = 0x4000;
  std::mt19937 random(seed);
  Case run(kThreads);
  run.add(0, EventKind::SemInit, kSemaphore, 0);
  struct Life {
    std::uint32_t parent = 0;
    bool alive = false, joined = false;
  };
  std::vector<Life> lives(kThreads);
  lives[0].alive = true;
  std::uint32_t next = 1;
  int posts = 0;
  for (int i = 0; i < 150; ++i) {
    const std::uint32_t t = random() % kThreads;
    if (!lives[t].alive) continue;
    switch (random() % 4) {
    case 0:
      if (next == kThreads) break;
      lives[next] = {t, true, false};
      run.fork(t, next++);
      break;
    case 1: {
      const std::uint32_t child = random() % kThreads;
      if (child == 0 || !lives[child].alive || lives[child].parent != t) break;
      run.join(t, child);
      lives[child] = {t, false, true};
      for (Life& life : lives)
        if (life.parent == child) life.parent = t;
      break;
    }
    case 2:
      run.add(t, EventKind::SemPost, kSemaphore);
      ++posts;
      break;
    default:
      if (posts == 0) break;
      run.add(t, EventKind::SemWait, kSemaphore);
      --posts;
    }
  }
  return run;
}

TEST(MustOrder, IsReachability) {
  std::uint64_t before = 0, in_chains = 0;
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    const Case run = random_lives(seed);
    const Computation c = causality::compute(run.trace);
    for (const auto of : {MustOrder::Of::Everything, MustOrder::Of::CreationAndJoining}) {
      const MustOrder must(run.trace, c, of);
      std::vector<std::vector<bool>> reaches(c.steps.size(), std::vector<bool>(c.steps.size(), false));
      for (StepId second = 0; second < c.steps.size(); ++second) { // orders go forward
        const auto come_after = [&](StepId first) {
          for (StepId earlier = 0; earlier < second; ++earlier)
            if (earlier == first || reaches[earlier][first]) reaches[earlier][second] = true;
        };
        reaches[second][second] = true;
        const causality::Step& step = c.steps[second];
        if (step.place > 0) come_after(c.threads[step.thread].steps[step.place - 1]);
        for (const causality::Order& order : c.orders) {
          const bool life = run.trace.events[c.steps[order.first].event].kind == EventKind::Fork ||
                            run.trace.events[step.event].kind == EventKind::Join;
          if (order.second == second && (life || of == MustOrder::Of::Everything)) come_after(order.first);
        }
      }
      for (StepId a = 0; a < c.steps.size(); ++a)
        for (StepId b = 0; b < c.steps.size(); ++b) {
          ASSERT_EQ(must.precedes(a, b), reaches[a][b]) << "seed " << seed << ", steps " << a << " and " << b;
          const bool chain = must.chain(c.steps[a].thread) == must.chain(c.steps[b].thread);
          if (chain) {
            ASSERT_TRUE(reaches[a][b] || reaches[b][a]) << "seed " << seed;
          }
          before += reaches[a][b] && c.steps[a].thread != c.steps[b].thread ? 1 : 0;
          in_chains += chain && c.steps[a].thread != c.steps[b].thread ? 1 : 0;
        }
    }
  }
  EXPECT_GT(before, 1000u);
  EXPECT_GT(in_chains, 1000u);
}

} // namespace
} // namespace sooth::predict
