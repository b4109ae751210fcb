// A lock of four bytes that sleeps in the kernel. For what the observing layer shares: lines of
// memory (shadow.h), channels, lists.
#pragma once

#include <linux/futex.h>

#include "capture/runtime/os.h"

namespace sooth::runtime::observing {

// 0: free, 1: held, 2: held while another thread sleeps. Hold it with signals blocked if handlers
// can run hooks.
class FutexLock {
public:
  void lock() {
    if (__builtin_expect(!take(0, 1), 0)) wait();
  }
  void unlock() {
    if (__builtin_expect(__atomic_exchange_n(&state_, 0, __ATOMIC_RELEASE) == 2, 0))
      os::call(SYS_futex, reinterpret_cast<long>(&state_), FUTEX_WAKE_PRIVATE, 1);
  }
  void reset() { state_ = 0; }

private:
  bool take(int from, int to) {
    return __atomic_compare_exchange_n(&state_, &from, to, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
  }
  __attribute__((noinline)) void wait() {
    for (unsigned spins = 0; spins < 100; ++spins) {
      if (take(0, 1)) return;
      __builtin_ia32_pause();
    }
    while (__atomic_exchange_n(&state_, 2, __ATOMIC_ACQUIRE) != 0)
      os::call(SYS_futex, reinterpret_cast<long>(&state_), FUTEX_WAIT_PRIVATE, 2, 0);
  }
  int state_ = 0;
};

class Locked {
public:
  explicit Locked(FutexLock& lock) : lock_(lock) { lock_.lock(); }
  ~Locked() { lock_.unlock(); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

private:
  FutexLock& lock_;
};

} // namespace sooth::runtime::observing
