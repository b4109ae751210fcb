// Who may look for how long, and who once more.
//
//     shares 1, 3; 8 seconds          the first gets 2, and runs out of them; the second gets 6,
//                                     and is done after 1. 5 are left: the first gets them
//
// Question: how is the time that is left divided among engines, so that none takes another one's
//   share, and none ends for want of time while there is time?
// Rules. In the first round everybody gets its share of what is left, among itself and those after
//   it. So time that one leaves goes to those after it. Then those that ran out get what is left,
//   in the same way, as long as that is at least kWorthAnother times what they had: an engine
//   begins from the beginning.
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
