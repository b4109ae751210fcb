// The time and memory that one analysis may spend, shared by all its stages.
//
// Stages ask the budget. It refuses a little before the memory is used up, so that they can end
// with the results they have. A stage that does not ask is ended from outside: an analysis may run
// as an *attempt*, in a process of its own, and begins again with fewer events if it took too much
// (cli/attempts.h). Without attempts, nothing ever begins again.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>

#include "base/budget.h"

namespace sooth::analysis {

inline constexpr double kShortest = 0.001; // seconds; 0 would be no limit

class Spending {
public:
  // 0: no limit.
  explicit Spending(double seconds = 0, std::uint64_t memory = 0)
      : budget(seconds * kForSearch, memory - memory / kReserve), bytes(memory),
        seconds_(seconds > 0 ? seconds : kLongest) {}

  // All of the memory, and the time until the search for findings ends. The rest of the time is for
  // checking and reporting them.
  Budget budget;
  const std::uint64_t bytes; // 0: no limit

  // Seconds; more than any analysis takes if there is no limit.
  double left() const {
    return std::max(0.0, seconds_ - std::chrono::duration<double>(Budget::Clock::now() - start_).count());
  }
  double left_for_search() const { return std::max(0.0, left() - (1 - kForSearch) * seconds_); }
  // ... for checking the witnesses; the rest after that is for the report.
  double left_for_checking() const { return std::max(0.0, left() - kForReport * seconds_); }
  // 1: all of it; 0: none.
  double part_left() const { return left() / seconds_; }
  // Whether there is a limit. Ask before passing left() to code that takes 0 as "no limit".
  bool limited() const { return seconds_ < kLongest; }

  // How much this attempt tries.
  std::uint64_t most_events = std::numeric_limits<std::uint64_t>::max();
  double part_for_reading = 0.5; // of the memory: analysing takes at least as much as reading
  bool last = false;             // nothing fits: no event is analysed, and the attempt is not ended
  // Informs the watching process how many events are analysed from now on. May be empty.
  std::function<void(std::uint64_t)> works_on;
  // Informs it that there may be findings from now on. May be empty.
  std::function<void()> looks;
  // Ends this attempt for one with fewer events; does not return. Empty where there are no
  // attempts.
  std::function<void()> give_up;

  // Whether an attempt with fewer events is possible.
  bool can_begin_again() const { return give_up && !last; }

private:
  static constexpr std::uint64_t kReserve = 16; // this fraction of the memory, 1/16, is kept back
  static constexpr double kForSearch = 0.8;     // of the time: reading, preparing and the engines
  static constexpr double kForReport = 0.1;     // ... describing and writing
  static constexpr double kLongest = 1e9;       // seconds
  const double seconds_;
  const Budget::Clock::time_point start_ = Budget::Clock::now();
};

} // namespace sooth::analysis
