// The budget of a command: one for all that it does, and how much of it is left to be shared out.
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
      : budget(seconds, memory), bytes(memory), seconds_(seconds > 0 ? seconds : kLongest) {}

  const Budget budget;
  const std::uint64_t bytes; // 0: no limit

  // Seconds; more than any analysis takes if there is no limit.
  double left() const {
    return std::max(0.0, seconds_ - std::chrono::duration<double>(Budget::Clock::now() - start_).count());
  }

private:
  static constexpr double kLongest = 1e9; // seconds
  const double seconds_;
  const Budget::Clock::time_point start_ = Budget::Clock::now();
};

} // namespace sooth::cli
