// The clocks of sliced causality: jPredictor's algorithm, the one that goes backwards first, and the definition.
#include "causality/dependence/sliced_clocks.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace sooth::causality {
namespace {

struct Nodes {
  std::vector<SlicedNode> nodes;
  std::vector<Looked> relevant;

  SlicedNode& add(ThreadNumber thread, Looked looked, std::vector<std::uint32_t> control = {}) {
    nodes.emplace_back();
    nodes.back().thread = thread;
    nodes.back().control = std::move(control);
    relevant.push_back(looked);
    return nodes.back();
  }
  SlicedClocks offline() const { return sliced_clocks_offline(nodes, relevant); }
  SlicedClocks online() const { return sliced_clocks_online(nodes, relevant); }
};

bool unrelated(const SlicedClocks& clocks, std::uint32_t a, std::uint32_t b) {
  return !clocks.clocks[a].covers(clocks.clocks[b]) && !clocks.clocks[b].covers(clocks.clocks[a]);
}

// Fig. 2: e1 causally precedes e2; e3' is in the control scope of e2, e3 is not.
TEST(SlicedClocks, AnEventThatWouldHappenAnywayIsNotOrdered) {
  enum { e1, e2, e3_in_scope, e3 };
  Nodes run;
  SlicedNode& write = run.add(0, Looked::State);
  write.writes = true;
  write.variables = {0};
  SlicedNode& read = run.add(1, Looked::Away);
  read.reads = true;
  read.variables = {0};
  read.data = {e1};
  run.add(1, Looked::Away, {e2});
  run.add(1, Looked::There);
  EXPECT_TRUE(unrelated(run.offline(), e1, e3));

  // The other property: "e1 must happen before e3'".
  run.relevant[e3] = Looked::Away;
  run.relevant[e3_in_scope] = Looked::There;
  const SlicedClocks clocks = run.offline();
  EXPECT_TRUE(clocks.clocks[e3_in_scope].covers(clocks.clocks[e1]));
  EXPECT_TRUE(clocks.important[e2]);
}

// Fig. 4 (A): e1 seems not to matter when e' comes, until e'' depends on it.
TEST(SlicedClocks, GoesBackWhereAnEventMattersOnlyLater) {
  enum { e, e1, e_prime, e_second };
  Nodes run;
  run.add(0, Looked::There);
  run.add(1, Looked::Away, {e});
  run.add(1, Looked::There);
  run.add(1, Looked::There, {e1});
  EXPECT_EQ(run.online().went_back, 1u);
  EXPECT_EQ(run.online().clocks[e_prime], Clock({1, 1})); // e1 comes before e' in its thread, and e before e1
  EXPECT_EQ(run.online().clocks, run.offline().clocks);

  run.nodes[e_second].control.clear();
  EXPECT_EQ(run.online().went_back, 0u);
  EXPECT_TRUE(unrelated(run.online(), e, e_prime));
}

// Fig. 4 (B): two events of two threads that matter only together with e''.
TEST(SlicedClocks, GoesBackThroughSeveralThreads) {
  enum { e, e1, e2, e_prime, e_second };
  Nodes run;
  run.add(0, Looked::There);
  run.add(1, Looked::Away, {e});
  run.add(2, Looked::Away, {e1});
  run.add(2, Looked::There);
  run.add(2, Looked::There, {e2});
  EXPECT_EQ(run.online().went_back, 1u);
  EXPECT_EQ(run.online().clocks[e_prime], Clock({1, 0, 1}));
  EXPECT_EQ(run.online().clocks, run.offline().clocks);
}

// An access that a race is asked about, without its value, on whose value something later depends: it is not ordered by what the value depends on;
// what follows in its thread is.
TEST(SlicedClocks, TheStateOfAnAccessIsAnEventOfItsOwn) {
  enum { write, read, decided };
  Nodes run;
  SlicedNode& first = run.add(0, Looked::There);
  first.writes = true;
  first.variables = {0};
  SlicedNode& second = run.add(1, Looked::There);
  second.reads = true;
  second.variables = {0};
  second.data = {write};
  run.add(1, Looked::There, {read});
  EXPECT_TRUE(unrelated(run.offline(), write, read));
  EXPECT_TRUE(run.offline().clocks[decided].covers(run.offline().clocks[write]));
  EXPECT_EQ(run.online().clocks, run.offline().clocks);
}

Nodes random_nodes() {
  Nodes run;
  const auto size = *rc::gen::inRange<std::uint32_t>(1, 16);
  for (std::uint32_t n = 0; n < size; ++n) {
    SlicedNode& node = run.add(*rc::gen::inRange<ThreadNumber>(0, 3), Looked::Away);
    node.event = *rc::gen::inRange(0, 6) != 0;
    if (node.event && *rc::gen::inRange(0, 3) == 0)
      run.relevant[n] = *rc::gen::arbitrary<bool>() ? Looked::State : Looked::There;
    node.writes = node.event && *rc::gen::inRange(0, 3) == 0;
    node.reads = node.event && *rc::gen::inRange(0, 3) == 0;
    if (node.reads || node.writes) node.variables = {*rc::gen::inRange<std::uint32_t>(0, 2)};
    for (std::uint32_t on = 0; on < n; ++on) {
      const int chance = *rc::gen::inRange(0, 12);
      if (chance == 0 && run.nodes[on].thread == node.thread) node.control.push_back(on);
      if (chance == 1) node.data.push_back(on);
    }
  }
  return run;
}

RC_GTEST_PROP(SlicedClocks, BothAlgorithmsGiveTheSame, ()) {
  const Nodes run = random_nodes();
  const SlicedClocks offline = run.offline(), online = run.online();
  RC_ASSERT(offline.important == online.important);
  RC_ASSERT(offline.clocks == online.clocks);
}

// Definition 5 as a graph, closed by going through it again and again; and what the clocks add to it (Theorem 2 is one
// direction): accesses of one variable, of which one writes, keep their order.
RC_GTEST_PROP(SlicedClocks, SayWhatTheDefinitionSays, ()) {
  const Nodes run = random_nodes();
  const std::vector<SlicedNode>& nodes = run.nodes;
  const std::size_t size = nodes.size();
  std::vector<bool> there(size), state(size);
  for (std::uint32_t n = 0; n < size; ++n) {
    there[n] = run.relevant[n] != Looked::Away;
    state[n] = run.relevant[n] == Looked::State;
  }
  for (std::size_t round = 0; round < size; ++round)
    for (std::uint32_t n = 0; n < size; ++n) {
      if (there[n])
        for (const std::uint32_t on : nodes[n].control) there[on] = state[on] = true;
      if (state[n])
        for (const std::uint32_t on : nodes[n].data) there[on] = state[on] = true;
    }
  std::vector<std::vector<bool>> before(size, std::vector<bool>(size)), leads(size, std::vector<bool>(size));
  const auto touch = [&](std::uint32_t a, std::uint32_t b) {
    return state[a] && state[b] && !nodes[a].variables.empty() && nodes[a].variables == nodes[b].variables &&
           (nodes[a].writes || nodes[b].writes);
  };
  for (std::uint32_t b = 0; b < size; ++b)
    for (std::uint32_t a = 0; a < b; ++a) {
      if (!there[a] || !there[b]) continue;
      const bool control = std::ranges::find(nodes[b].control, a) != nodes[b].control.end();
      const bool data = state[b] && std::ranges::find(nodes[b].data, a) != nodes[b].data.end();
      const bool thread = nodes[a].event && nodes[b].event && nodes[a].thread == nodes[b].thread;
      leads[a][b] = control || thread; // without its state
      before[a][b] = leads[a][b] || data || touch(a, b);
    }
  for (std::uint32_t k = 0; k < size; ++k)
    for (std::uint32_t a = 0; a < size; ++a)
      for (std::uint32_t b = 0; b < size; ++b)
        if (before[a][k] && before[k][b]) before[a][b] = true;
  // An abstract event that has no state comes after what leads to it, and not after what its state depends on.
  const auto precedes = [&](std::uint32_t a, std::uint32_t b) {
    if (run.relevant[b] == Looked::State || leads[a][b]) return static_cast<bool>(before[a][b]);
    for (std::uint32_t k = 0; k < size; ++k)
      if (before[a][k] && leads[k][b]) return true;
    return false;
  };
  const SlicedClocks clocks = run.offline();
  for (std::uint32_t a = 0; a < size; ++a)
    for (std::uint32_t b = 0; b < size; ++b)
      if (a != b && run.relevant[a] != Looked::Away && run.relevant[b] != Looked::Away)
        RC_ASSERT(clocks.clocks[b].covers(clocks.clocks[a]) == precedes(a, b));
}

} // namespace
} // namespace sooth::causality
