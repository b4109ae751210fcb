#include "base/budget.h"

#include <algorithm>
#include <ctime>

#include <malloc.h>

#include "base/interrupt.h"
#include "base/machine_memory.h"

namespace sooth {
namespace {

constexpr auto kBetweenLooks = std::chrono::milliseconds(2); // a look takes some microseconds

Budget::Clock::duration duration(double seconds) {
  constexpr double kLongest = 1e9; // a lifetime, and no overflow
  return std::chrono::duration_cast<Budget::Clock::duration>(
      std::chrono::duration<double>(seconds < kLongest ? seconds : kLongest));
}

double seconds_of_thread() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

} // namespace

const char* const Budget::kTime = "the time that --budget gives was used up";
const char* const Budget::kMemory = "the memory that --memory gives was used up";
const char* const Budget::kInterrupted = "the analysis was interrupted";

Budget::Budget(double seconds, std::uint64_t bytes, bool despite_interrupts)
    : interruptible_(!despite_interrupts), timed_(seconds > 0), end_(Clock::now() + duration(seconds)), until_(end_),
      bytes_(bytes), next_look_(0) {}

void Budget::begin_part(double seconds) {
  until_ = std::min(end_, Clock::now() + duration(seconds));
  if (reason_.load(std::memory_order_relaxed) == kTime) reason_.store(nullptr, std::memory_order_relaxed);
}

const char* Budget::spent() const {
  if (const char* reason = reason_.load(std::memory_order_relaxed)) return reason;
  if (interruptible_ && was_interrupted()) {
    reason_.store(kInterrupted, std::memory_order_relaxed);
    return kInterrupted;
  }
  if (!timed_ && bytes_ == 0) return nullptr;
  const Clock::time_point now = Clock::now();
  if (timed_ && now > until_) {
    reason_.store(kTime, std::memory_order_relaxed);
    return kTime;
  }
  if (bytes_ == 0) return nullptr;
  Clock::rep next = next_look_.load(std::memory_order_relaxed);
  const Clock::rep this_time = now.time_since_epoch().count();
  const Clock::rep pause = std::chrono::duration_cast<Clock::duration>(kBetweenLooks).count();
  if (this_time < next || !next_look_.compare_exchange_strong(next, this_time + pause)) return nullptr;
  if (resident_memory() <= bytes_) return nullptr;
  malloc_trim(0); // what was freed may still be occupied
  if (resident_memory() <= bytes_) return nullptr;
  reason_.store(kMemory, std::memory_order_relaxed);
  return kMemory;
}

Deadline::Deadline(const Budget& budget, double seconds, Time time)
    : budget_(budget), until_(Budget::Clock::now() + duration(seconds)),
      at_last_(Budget::Clock::now() + duration(time == Time::Clock ? seconds : kMostWaiting * seconds)),
      of_thread_(time == Time::Clock ? 0 : seconds_of_thread() + seconds) {}

bool Deadline::is_over() const {
  return of_thread_ == 0 || Budget::Clock::now() > at_last_ || seconds_of_thread() > of_thread_;
}

std::string Deadline::reason() const {
  const char* all = budget_.spent();
  return all != nullptr ? all : "one question took too long";
}

} // namespace sooth
