// Algorithm A against the definition of causality (JMPaX online, Theorem 3), and clocks themselves.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "unit/explore_computation.h"

namespace sooth::causality {
namespace {

using namespace sooth::testing;

// e and e' relevant, sent as <e, i, V> and <e', j, V'>: e precedes e' iff V[i] <= V'[i] iff V < V'.
RC_GTEST_PROP(AlgorithmA, TellsCausalityByOneComponent, ()) {
  const Execution execution = random_execution(6, 40, 40);
  const auto before = execution.causality();
  const auto sent = messages_of(execution);
  for (const Sent& e : sent) {
    for (const Sent& f : sent) {
      if (e.action == f.action) continue;
      RC_ASSERT(before[e.action][f.action] == ((*e.clock)[e.thread] <= (*f.clock)[e.thread] && e.action != f.action));
      RC_ASSERT(before[e.action][f.action] == (f.clock->covers(*e.clock) && !(*f.clock == *e.clock)));
    }
  }
}

// Requirement (a): the j-th component counts the relevant events of thread j that precede the event (or are it).
RC_GTEST_PROP(AlgorithmA, ComponentsCountWhatPrecedes, ()) {
  const Execution execution = random_execution(5, 30, 30);
  const auto before = execution.causality();
  for (const Sent& e : messages_of(execution)) {
    std::vector<Count> expected(execution.threads, 0);
    for (std::size_t i = 0; i < execution.actions.size(); ++i)
      if (execution.actions[i].relevant && (i == e.action || before[i][e.action]))
        ++expected[execution.actions[i].thread];
    RC_ASSERT(*e.clock == Clock(expected));
  }
}

TEST(AlgorithmA, Example2OfJmpaxOnline) {
  // x = 0 (T1), z = 1 (T2, reads x), y = 1 (T1, reads x), x = 1 (T2, reads and writes x)
  enum { x, y, z };
  AlgorithmA a(2, 3);
  a.read(0, x, false);
  EXPECT_EQ(*a.write(0, x, true), (Clock{1, 0}));
  a.read(1, x, false);
  EXPECT_EQ(*a.write(1, z, true), (Clock{1, 1}));
  a.read(0, x, false); // y = x + 1 reads before x++ writes
  a.read(1, x, false);
  EXPECT_EQ(*a.write(1, x, true), (Clock{1, 2}));
  EXPECT_EQ(*a.write(0, y, true), (Clock{2, 0}));
}

TEST(AlgorithmA, ReadsDoNotOrderEachOther) {
  AlgorithmA a(2, 1);
  EXPECT_EQ(*a.read(0, 0, true), (Clock{1}));
  EXPECT_EQ(*a.read(1, 0, true), (Clock{0, 1}));
  EXPECT_EQ(*a.write(0, 0, true), (Clock{2, 1}));
}

TEST(Clock, GrowsWithItsThreadsAndComparesBeyondThem) {
  Clock few{3}, many;
  many.raise(1000, 2);
  EXPECT_FALSE(few.covers(many));
  EXPECT_FALSE(many.covers(few));
  EXPECT_EQ(few[1000], 0u);
  few.join(many);
  EXPECT_TRUE(few.covers(many));
  EXPECT_EQ(few[0], 3u);
  EXPECT_EQ((Clock{1, 0, 0}), (Clock{1}));
}

TEST(Clock, JoiningSharesTheLargerBody) {
  const auto small = std::make_shared<const Clock>(Clock{1}), large = std::make_shared<const Clock>(Clock{2, 1});
  EXPECT_EQ(joined(small, large), large);
  EXPECT_EQ(joined(large, small), large);
  EXPECT_EQ(joined(nullptr, small), small);
  EXPECT_EQ(*joined(small, std::make_shared<const Clock>(Clock{0, 5})), (Clock{1, 5}));
}

} // namespace
} // namespace sooth::causality
