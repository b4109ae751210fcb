// The threads that wait on one condition, and the signals that are left for them.
//
//     T1 wait c, T2 wait c, T3 signal c      either of them may wake up, not both
//     T1 wait c, T3 signal c, T2 wait c      only T1 may: the signal came before T2 waited
//
// Question: may this thread wake up now?
// Source: POSIX. A signal is for one of the threads that wait when it comes, a broadcast for all of
//   them. Wake-ups without a signal, which POSIX allows, are in no predicted run unless they were
//   recorded.
// A run is allowed if each of its wake-ups can have a signal of its own. Each wake-up takes the
// earliest unused signal since its wait began. A thread that has waited longer can use every later
// signal, too, so this serves as many wake-ups as possible.
// Cost: the number of threads that wait.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sooth::causality {

class WaitQueue {
public:
  struct Waiter {
    std::uint32_t thread = 0;
    std::uint32_t signals = 0; // left over, since this wait and before the next one
    bool broadcast = false;    // since this wait
    friend bool operator==(const Waiter&, const Waiter&) = default;
  };

  bool empty() const { return waiters_.empty(); }
  const std::vector<Waiter>& waiters() const { return waiters_; } // in the order in which they began to wait

  void wait(std::uint32_t thread) { waiters_.push_back({thread}); }
  void restore(const Waiter& waiter) { waiters_.push_back(waiter); } // as it was, behind the others
  void broadcast() {
    for (Waiter& waiter : waiters_) waiter.broadcast = true;
  }
  // More signals than threads that can use them make no difference.
  void signal() {
    if (!waiters_.empty() && waiters_.back().signals < waiters_.size()) ++waiters_.back().signals;
  }

  bool may_wake(std::uint32_t thread) const {
    const std::size_t own = place(thread);
    return own < waiters_.size() && (waiters_[own].broadcast || signal_for(own) < waiters_.size());
  }
  // `served`: by a signal or broadcast; otherwise the wait just ends.
  void wake(std::uint32_t thread, bool served) {
    const std::size_t own = place(thread);
    if (own == waiters_.size()) return;
    if (served && !waiters_[own].broadcast)
      if (const std::size_t from = signal_for(own); from < waiters_.size()) --waiters_[from].signals;
    // What came after this wait came after those before it, too.
    if (own > 0) {
      Waiter& before = waiters_[own - 1];
      before.signals = std::min(before.signals + waiters_[own].signals, static_cast<std::uint32_t>(own));
    }
    waiters_.erase(waiters_.begin() + static_cast<std::ptrdiff_t>(own));
  }

private:
  // The last wait of the thread: a handler that waits inside of a wait ends first.
  std::size_t place(std::uint32_t thread) const {
    for (std::size_t i = waiters_.size(); i-- > 0;)
      if (waiters_[i].thread == thread) return i;
    return waiters_.size();
  }
  std::size_t signal_for(std::size_t own) const {
    while (own < waiters_.size() && waiters_[own].signals == 0) ++own;
    return own;
  }

  std::vector<Waiter> waiters_;
};

} // namespace sooth::causality
