// The budget of a command: one for all that it does, and how much of it is left to be shared out.
//
// Whoever asks the budget is told a little before the memory is used up, so that there is time to end with what there is. Who
// does not ask is ended by cli/attempts.h.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/budget.h"

namespace sooth::cli {

class Allowance {
public:
  // 0: no limit.
  explicit Allowance(double seconds = 0, std::uint64_t memory = 0)
      : budget(seconds, memory - memory / kReserve), bytes(memory), seconds_(seconds > 0 ? seconds : kLongest) {}

  const Budget budget;
  const std::uint64_t bytes; // 0: no limit

  // Seconds; more than any analysis takes if there is no limit.
  double left() const {
    return std::max(0.0, seconds_ - std::chrono::duration<double>(Budget::Clock::now() - start_).count());
  }

  // 1: all of it; 0: none.
  double part_left() const { return left() / seconds_; }

private:
  static constexpr std::uint64_t kReserve = 16; // that part of the memory
  static constexpr double kLongest = 1e9;       // seconds
  const double seconds_;
  const Budget::Clock::time_point start_ = Budget::Clock::now();
};

} // namespace sooth::cli
