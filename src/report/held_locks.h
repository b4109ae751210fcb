// The locks that each thread holds along a trace, and the events that took them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/trace.h"

namespace sooth::report {

struct Held {
  std::uint64_t lock = 0;
  std::uint32_t event = 0; // the outermost acquire, or the wake that took it again
  std::uint32_t depth = 1; // of a recursive lock
  bool shared = false;
};

class HeldLocks {
public:
  explicit HeldLocks(std::size_t threads) : held_(threads) {}

  // Events must come in order, without gaps.
  void follow(const trace::Event& event, std::uint32_t index);
  // In the order in which they were taken.
  std::span<const Held> of(std::uint32_t thread) const;

private:
  void take(std::uint32_t thread, std::uint64_t lock, std::uint32_t index, bool shared);
  void give_up(std::uint32_t thread, std::uint64_t lock, bool all);

  std::vector<std::vector<Held>> held_; // by thread
};

} // namespace sooth::report
