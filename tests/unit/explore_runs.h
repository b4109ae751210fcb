// Runs of a lattice in tests, and what has to be the same in any two of them.
#pragma once

#include <vector>

#include <gtest/gtest.h>

#include "explore/lattice.h"

namespace sooth::testing {

// Expands as far as possible after every `often` messages.
inline explore::Exploration run_lattice(const std::vector<explore::Message>& messages,
                                        const explore::MonitorSet& monitors, const explore::Options& options,
                                        std::size_t often = 1, std::uint64_t levels_at_once = UINT64_MAX) {
  explore::Lattice lattice(monitors, options);
  const auto advance = [&] {
    while (lattice.advance(levels_at_once)) {
    }
  };
  for (std::size_t k = 0; k < messages.size(); ++k) {
    const auto wrong = lattice.add(messages[k]);
    if (wrong) ADD_FAILURE() << wrong->text();
    if (k % often == often - 1) advance();
  }
  EXPECT_TRUE(lattice.input_complete());
  lattice.finish();
  advance();
  return lattice.result();
}

inline void expect_same(const explore::Exploration& a, const explore::Exploration& b) {
  EXPECT_EQ(a.end, b.end);
  EXPECT_EQ(a.statistics.cuts, b.statistics.cuts);
  EXPECT_EQ(a.statistics.edges, b.statistics.edges);
  EXPECT_EQ(a.statistics.levels, b.statistics.levels);
  EXPECT_EQ(a.statistics.widest, b.statistics.widest);
  EXPECT_EQ(a.statistics.cuts_left_out, b.statistics.cuts_left_out);
  EXPECT_EQ(a.statistics.violations_left_out, b.statistics.violations_left_out);
  ASSERT_EQ(a.violations.size(), b.violations.size());
  for (std::size_t i = 0; i < a.violations.size(); ++i) {
    EXPECT_EQ(a.violations[i].monitor, b.violations[i].monitor);
    EXPECT_EQ(a.violations[i].cut, b.violations[i].cut);
    EXPECT_EQ(a.violations[i].path, b.violations[i].path);
  }
}

} // namespace sooth::testing
