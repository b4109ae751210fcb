// What one analysis may spend: time and memory, shared by all its stages.
//
// Stages ask the budget and are told a little before the memory is used up, so that they can end with what they have.
// A stage that does not ask is ended from outside: an analysis may run as an *attempt*, in a process of its own, and is
// begun again with fewer events if it took too much (cli/attempts.h). Without attempts nothing is ever begun again.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>

#include "base/budget.h"

namespace sooth::analysis {

class Spending {
public:
  // 0: no limit.
  explicit Spending(double seconds = 0, std::uint64_t memory = 0)
      : budget(seconds, memory - memory / kReserve), bytes(memory), seconds_(seconds > 0 ? seconds : kLongest) {}

  const Budget budget;
  const std::uint64_t bytes; // 0: no limit

  // Seconds; more than any analysis takes if there is no limit.
  double left() const {
    return std::max(0.0, seconds_ - std::chrono::duration<double>(Budget::Clock::now() - start_).count());
  }
  // 1: all of it; 0: none.
  double part_left() const { return left() / seconds_; }
  // The same as an argument for what takes 0 as "no limit".
  bool limited() const { return seconds_ < kLongest; }

  // How much this attempt tries.
  std::uint64_t most_events = std::numeric_limits<std::uint64_t>::max();
  double part_for_reading = 0.5; // of the memory: no analysis of what is read needs less than that again
  bool last = false;             // nothing fits: no event is analysed, and nobody ends the attempt
  // Tells the watching process how many events are analysed from now on. May be empty.
  std::function<void(std::uint64_t)> works_on;
  // Ends this attempt for one with fewer events; does not return. Empty where there are no attempts.
  std::function<void()> give_up;

  // Whether an attempt with fewer events is possible.
  bool can_begin_again() const { return give_up && !last; }

private:
  static constexpr std::uint64_t kReserve = 16; // that part of the memory
  static constexpr double kLongest = 1e9;       // seconds
  const double seconds_;
  const Budget::Clock::time_point start_ = Budget::Clock::now();
};

} // namespace sooth::analysis
