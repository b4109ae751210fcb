// Time and memory for one analysis, shared by all that work on it.
//
// Whoever works for long asks now and then whether the budget is spent, and then ends with what there is. Nothing is
// interrupted from outside, and an answer that was given stays true.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace sooth {

class Budget {
public:
  using Clock = std::chrono::steady_clock;

  // 0: no limit. Memory is what the process occupies. Once spent it stays so, whatever is freed: whoever stopped early has to
  // be able to say so afterwards.
  explicit Budget(double seconds = 0, std::uint64_t bytes = 0);

  // Nothing while the budget lasts; then why it does not, as a sentence's end. Safe to call from several threads.
  const char* spent() const;

  std::uint64_t bytes() const { return bytes_; } // 0: no limit

  // Told apart by where they are, so there is one of each.
  static const char *const kTime, *const kMemory;

private:
  const bool timed_;
  const Clock::time_point until_;
  const std::uint64_t bytes_;
  mutable std::atomic<const char*> reason_{nullptr};
  mutable std::atomic<Clock::rep> next_look_; // at the memory: not at every question
};

// The budget of one question within that of the analysis.
class Deadline {
public:
  Deadline(const Budget& budget, double seconds);
  bool passed() const { return budget_.spent() != nullptr || Budget::Clock::now() > until_; }
  std::string reason() const;

private:
  const Budget& budget_;
  const Budget::Clock::time_point until_;
};

} // namespace sooth
