// Keeps an analysis within its memory: what would need more is stopped, and done again with fewer events.
//
// Question: how many events can be analysed with so many bytes?
// Where we differ from an estimate: an event takes from 25 to more than 1,000 bytes, by what the threads share and what is
//   found, so nobody estimates. While a guard lives, every large allocation of its thread asks what the process occupies; one
//   that would need more throws. The beginning of a trace is a trace, so the analysis then begins again with a shorter one.
// Cost: a comparison for each allocation. A failed attempt costs at most as much as the whole analysis, the next one less.
//
// Only large allocations throw: what does not expect it, as destructors, makes none. Other threads than the guard's never
// throw; the searches they do ask the budget (base/budget.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

namespace sooth::cli {

class MemorySpent : public std::bad_alloc {};

class MemoryGuard {
public:
  explicit MemoryGuard(std::uint64_t bytes); // of the whole process; 0: no limit
  ~MemoryGuard();
  MemoryGuard(const MemoryGuard&) = delete;
  MemoryGuard& operator=(const MemoryGuard&) = delete;

  // For what keeps within its memory in other ways.
  class Pause {
  public:
    Pause();
    ~Pause();
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

  private:
    const std::uint64_t bytes_;
  };
};

// How much of a trace is analysed.
struct Attempt {
  std::size_t most = kAllEvents; // events
  std::size_t events = 0;        // how many there were: to be told by whoever makes the attempt
  std::uint64_t bytes = 0;       // for the guard
  bool again = false;            // one has failed before

  static constexpr std::size_t kAllEvents = ~std::size_t{0};
};
Attempt first_attempt(std::uint64_t bytes);
Attempt next_attempt(const Attempt& failed); // gives back what was freed

// `work` is given an Attempt, and makes a guard with its bytes.
template <typename Work>
auto within_memory(std::uint64_t bytes, Work&& work) {
  for (Attempt attempt = first_attempt(bytes);;) {
    try {
      return work(attempt);
    } catch (const MemorySpent&) {
    }
    attempt = next_attempt(attempt);
  }
}

} // namespace sooth::cli
