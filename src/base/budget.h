// Time and memory for one analysis, shared by all its workers.
//
// A long computation asks now and then whether the budget is spent. If so, it ends with what it
// has. Nothing is interrupted from outside, and answers that were given stay true.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace sooth {

class Budget {
public:
  using Clock = std::chrono::steady_clock;

  // 0: no limit. Memory is what the process occupies. Once spent it stays so, whatever is freed:
  // an engine that stopped early must be able to say so afterwards. An interruption (interrupt.h)
  // counts as spent, unless this is for what has to be done even then.
  explicit Budget(double seconds = 0, std::uint64_t bytes = 0, bool despite_interrupts = false);

  // A part of the time begins: when it is over, the budget counts as spent. What an earlier part
  // took does not count any more. Not while others ask.
  void begin_part(double seconds);

  // Null while the budget lasts; then the reason, as the end of a sentence. Safe to call from
  // several threads.
  const char* spent() const;

  std::uint64_t bytes() const { return bytes_; } // 0: no limit

  // Told apart by where they are, so there is one of each.
  static const char *const kTime, *const kMemory, *const kInterrupted;

private:
  const bool interruptible_;
  const bool timed_;
  const Clock::time_point end_;
  Clock::time_point until_; // of the present part; not behind the end
  const std::uint64_t bytes_;
  mutable std::atomic<const char*> reason_{nullptr};
  mutable std::atomic<Clock::rep> next_look_; // at the memory: not at every question
};

// The budget of one question within that of the analysis.
class Deadline {
public:
  // OfThread: seconds of the calling thread's own work, so that what else the machine does changes
  // no answer; but no more than kMostWaiting times as much by the clock. One thread makes it and
  // asks it.
  enum class Time : std::uint8_t { Clock, OfThread };
  Deadline(const Budget& budget, double seconds, Time time = Time::Clock);
  bool passed() const { return budget_.spent() != nullptr || (Budget::Clock::now() > until_ && is_over()); }
  std::string reason() const;

private:
  static constexpr int kMostWaiting = 10;
  bool is_over() const;

  const Budget& budget_;
  const Budget::Clock::time_point until_, at_last_;
  const double of_thread_; // seconds that it may have worked in all; 0: they do not matter
};

} // namespace sooth
