// How engines share the time (analysis/turns.h), with a clock that the test moves.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/turns.h"

namespace sooth::analysis {
namespace {

struct Race {
  std::vector<double> needs; // seconds of each turn until it is done
  double left;
  std::vector<std::pair<std::size_t, double>> taken = {}; // who got how much

  std::vector<Turn> run(std::vector<Turn> turns) {
    take_turns(
        turns, [&] { return left; },
        [&](std::size_t turn, double seconds) {
          taken.emplace_back(turn, seconds);
          turns[turn].ran_out = needs[turn] > seconds;
          left -= std::min(needs[turn], seconds);
          return true;
        });
    return turns;
  }
};

TEST(Turns, TimeThatOneLeavesGoesToThoseAfterIt) {
  Race race{{1, 7}, 8};
  const auto turns = race.run({{1}, {3}});
  EXPECT_EQ(race.taken, (std::vector<std::pair<std::size_t, double>>{{0, 2}, {1, 7}}));
  EXPECT_FALSE(turns[1].ran_out);
}

TEST(Turns, WhoRanOutGetsWhatIsLeftInTheEnd) {
  Race race{{5, 1}, 8};
  const auto turns = race.run({{1}, {3}});
  EXPECT_EQ(race.taken, (std::vector<std::pair<std::size_t, double>>{{0, 2}, {1, 6}, {0, 5}}));
  EXPECT_FALSE(turns[0].ran_out);
}

TEST(Turns, AnotherTurnIsTwiceAsLongOrNotTaken) {
  Race race{{100, 3}, 8};
  const auto turns = race.run({{1}, {3}}); // 3 seconds are left, after 2 that were not enough
  EXPECT_EQ(race.taken.size(), 2u);
  EXPECT_TRUE(turns[0].ran_out);
}

TEST(Turns, SeveralThatRanOutShareWhatIsLeft) {
  Race race{{100, 100, 0}, 100};
  const auto turns = race.run({{1}, {1}, {8}});
  EXPECT_TRUE(turns[0].ran_out && turns[1].ran_out);
  EXPECT_LT(race.left, 100 / kWorthAnother); // nobody ends early with plenty of time
  for (std::size_t i = 3; i < race.taken.size(); ++i) EXPECT_GE(race.taken[i].second, kWorthAnother * 10);
}

TEST(Turns, WithoutTimeEverybodyLooksOnce) {
  Race race{{1, 1}, 0};
  race.run({{1}, {1}});
  EXPECT_EQ(race.taken.size(), 2u);
}

TEST(Turns, AnErrorEndsThem) {
  unsigned taken = 0;
  std::vector<Turn> turns(3);
  take_turns(turns, [] { return 1.0; }, [&](std::size_t, double) { return ++taken < 2; });
  EXPECT_EQ(taken, 2u);
}

} // namespace
} // namespace sooth::analysis
