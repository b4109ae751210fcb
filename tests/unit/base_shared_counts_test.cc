// SharedCounts against plain vectors: the same operations, at random, on a few clocks that are copied all the time.
#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "base/shared_counts.h"

namespace sooth {
namespace {

struct Pair {
  SharedCounts counts;
  std::vector<std::uint32_t> plain = std::vector<std::uint32_t>(5000, 0);
};

bool plainly_covers(const Pair& a, const Pair& b) {
  return std::ranges::equal(a.plain, b.plain, [](std::uint32_t x, std::uint32_t y) { return x >= y; });
}

void expect_equal(const Pair& pair) {
  for (std::uint32_t i = 0; i < pair.plain.size(); ++i) ASSERT_EQ(pair.counts[i], pair.plain[i]) << "number " << i;
}

TEST(SharedCounts, DoWhatPlainVectorsDo) {
  // Numbers within one leaf, one node above it, and several levels.
  for (const std::uint32_t numbers : {10u, 100u, 5000u}) {
    std::mt19937 random(numbers);
    std::array<Pair, 6> pairs;
    for (int round = 0; round < 4000; ++round) {
      Pair& one = pairs[random() % pairs.size()];
      Pair& other = pairs[random() % pairs.size()];
      switch (random() % 9) {
      case 8: { // what was joined before may be given again
        const SharedCounts known = other.counts;
        one.counts.join(known);
        std::ranges::transform(one.plain, other.plain, one.plain.begin(),
                               [](std::uint32_t x, std::uint32_t y) { return std::max(x, y); });
        for (int more = 0; more < 3; ++more) {
          const std::uint32_t number = random() % numbers, count = random() % 100;
          for (Pair* pair : {&one, &other}) {
            if (pair == &one && more == 0) continue;
            pair->counts.raise(number, count);
            pair->plain[number] = std::max(pair->plain[number], count);
          }
        }
        one.counts.join(other.counts, known);
        std::ranges::transform(one.plain, other.plain, one.plain.begin(),
                               [](std::uint32_t x, std::uint32_t y) { return std::max(x, y); });
        break;
      }
      case 0: one = other; break;
      case 1:
      case 2:
        one.counts.join(other.counts);
        std::ranges::transform(one.plain, other.plain, one.plain.begin(),
                               [](std::uint32_t x, std::uint32_t y) { return std::max(x, y); });
        break;
      case 3: ASSERT_EQ(one.counts.covers(other.counts), plainly_covers(one, other)); break;
      case 4:
        if (random() % 16 == 0) one = {};
        break;
      default: {
        const std::uint32_t number = random() % numbers, count = random() % 100;
        one.counts.raise(number, count);
        one.plain[number] = std::max(one.plain[number], count);
      }
      }
      if (round % 500 == 0)
        for (const Pair& pair : pairs) expect_equal(pair);
    }
    for (const Pair& pair : pairs) expect_equal(pair);
  }
}

TEST(SharedCounts, CopiesPartWhenOneChanges) {
  SharedCounts a;
  a.raise(3, 1);
  a.raise(70'000, 2);
  SharedCounts b = a;
  b.raise(3, 5);
  EXPECT_EQ(a[3], 1u);
  EXPECT_EQ(b[3], 5u);
  EXPECT_EQ(b[70'000], 2u);
  EXPECT_TRUE(b.covers(a));
  EXPECT_FALSE(a.covers(b));
  a.join(b);
  EXPECT_TRUE(a.covers(b));
}

TEST(SharedCounts, TallAndShortOnes) {
  SharedCounts tall, low, other;
  tall.raise(4'000'000'000, 7);
  low.raise(2, 3);
  EXPECT_FALSE(tall.covers(low));
  EXPECT_FALSE(low.covers(tall));
  other = tall;
  other.join(low); // where the tall one has nothing yet
  EXPECT_EQ(other[2], 3u);
  EXPECT_EQ(other[4'000'000'000], 7u);
  low.join(tall);
  EXPECT_TRUE(low.covers(other));
  EXPECT_TRUE(other.covers(low));
  EXPECT_EQ(SharedCounts()[5], 0u);
  EXPECT_TRUE(SharedCounts().empty());
  EXPECT_TRUE(tall.covers(SharedCounts()));
}

} // namespace
} // namespace sooth
