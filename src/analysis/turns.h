// Divides the time of an analysis among its engines, and decides which of them may try again.
//
//     shares 1, 3; 8 seconds          the first engine gets 2 s, and runs out of time; the second
//                                     gets 6 s, and needs 1. 5 s are left: the first tries again
//
// Question: how much of the remaining time does each engine get, so that no engine takes another
//   one's share, and none stops for lack of time while time is left?
// Rules. In the first round, each engine gets its share of the remaining time, among itself and the
//   engines after it. So the engines after it get the time that it does not use. Then the engines
//   that ran out of time divide the rest in the same way. They do so as long as each gets at least
//   kWorthAnother times what it had before, because an engine starts again from the beginning.
// Cost: the last try of each has at least as much time as all its earlier ones together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace sooth::analysis {

struct Turn {
  double share = 1;
  double seconds = 0;   // that it had
  bool ran_out = false; // of them
};

inline constexpr double kWorthAnother = 2;
inline constexpr double kShortestTurn = 0.01; // seconds; another one is not worth less

// `left()`: the seconds that are left. `look(turn, seconds)`: takes this turn, sets ran_out, and
// says whether to go on.
template <typename Left, typename Look>
void take_turns(std::vector<Turn>& turns, Left&& left, Look&& look) {
  const auto share_of = [&](std::size_t turn, bool first_round) {
    double all = 0;
    for (std::size_t other = turn; other < turns.size(); ++other)
      if (first_round || turns[other].ran_out) all += turns[other].share;
    return left() * turns[turn].share / all;
  };
  const auto take = [&](std::size_t turn, double seconds) {
    turns[turn].seconds = seconds;
    return look(turn, seconds);
  };
  for (std::size_t i = 0; i < turns.size(); ++i)
    if (!take(i, share_of(i, true))) return;
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = 0; i < turns.size(); ++i) {
      if (!turns[i].ran_out) continue;
      const double seconds = share_of(i, false);
      if (seconds < std::max(kWorthAnother * turns[i].seconds, kShortestTurn)) continue;
      if (!take(i, seconds)) return;
      again = true;
    }
  }
}

} // namespace sooth::analysis
