// Vector clocks: a counter for each thread, growing as threads are created.
//
//     T1 write x        clock (1)
//     T2 read  x        clock (1, 1): it comes after T1's event
//     T3 write z        clock (0, 0, 1): neither before nor after the others
//
// The multithreaded vector clock of JMPaX online (section 3): component i is the number of relevant
// events of thread i that causally precede (or are) the event it belongs to. Components behind the
// last one that is not zero are not stored, so a clock costs as much as the threads it knows of,
// not as many as there are.
//
// SharedClock is for the many places (each variable's access and write clock) that hold the same
// clock: copies share one body, and a body never changes once it is shared.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

namespace sooth::causality {

using ThreadNumber = std::uint32_t;
using Count = std::uint32_t; // of one thread's relevant events

class Clock {
public:
  Clock() = default;
  Clock(std::initializer_list<Count> components) : components_(components) { trim(); }
  explicit Clock(std::vector<Count> components) : components_(std::move(components)) { trim(); }

  Count operator[](ThreadNumber thread) const { return thread < components_.size() ? components_[thread] : 0; }
  // Only upwards: a clock never forgets.
  void raise(ThreadNumber thread, Count count) {
    if (count == 0) return;
    if (thread >= components_.size()) components_.resize(std::size_t{thread} + 1);
    components_[thread] = std::max(components_[thread], count);
  }
  void join(const Clock& other) {
    if (other.components_.size() > components_.size()) components_.resize(other.components_.size());
    for (std::size_t i = 0; i < other.components_.size(); ++i)
      components_[i] = std::max(components_[i], other.components_[i]);
  }
  // Whether every component is at least the other's.
  bool covers(const Clock& other) const {
    if (other.components_.size() > components_.size()) return false; // its last component is not zero
    for (std::size_t i = 0; i < other.components_.size(); ++i)
      if (components_[i] < other.components_[i]) return false;
    return true;
  }

  std::span<const Count> components() const { return components_; }
  bool empty() const { return components_.empty(); }
  friend bool operator==(const Clock&, const Clock&) = default;

private:
  void trim() {
    while (!components_.empty() && components_.back() == 0) components_.pop_back();
  }
  std::vector<Count> components_; // invariant: the last one is not zero
};

// Null stands for the clock that is zero everywhere.
using SharedClock = std::shared_ptr<const Clock>;

inline bool covers(const Clock& clock, const SharedClock& other) { return other == nullptr || clock.covers(*other); }

// The maximum of both; shares a body with one of them if that one is the maximum.
inline SharedClock joined(const SharedClock& a, const SharedClock& b) {
  if (b == nullptr || a == b) return a;
  if (a == nullptr || b->covers(*a)) return b;
  if (a->covers(*b)) return a;
  Clock both = *a;
  both.join(*b);
  return std::make_shared<const Clock>(std::move(both));
}

} // namespace sooth::causality
