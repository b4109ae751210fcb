// The one lock of the observing layer. Hooks run one after the other; their order is the observed
// run.
//
// One lock for each address would let more hooks run at once. But it could not order a read and a
// write of two addresses. The observed run, which separates `observed` from `predicted`, needs one
// order of all events.
#pragma once

#include <linux/futex.h>

#include "capture/runtime/os.h"

namespace sooth::runtime::observing {

// 0: free, 1: held, 2: held while another thread sleeps. Hold it with signals blocked if handlers
// can run hooks.
class FutexLock {
public:
  void lock() {
    for (unsigned spins = 0; spins < 100; ++spins) {
      if (take(0, 1)) return;
      __builtin_ia32_pause();
    }
    while (__atomic_exchange_n(&state_, 2, __ATOMIC_ACQUIRE) != 0)
      os::call(SYS_futex, reinterpret_cast<long>(&state_), FUTEX_WAIT_PRIVATE, 2, 0);
  }
  void unlock() {
    if (__atomic_exchange_n(&state_, 0, __ATOMIC_RELEASE) == 2)
      os::call(SYS_futex, reinterpret_cast<long>(&state_), FUTEX_WAKE_PRIVATE, 1);
  }
  void reset() { state_ = 0; }

private:
  bool take(int from, int to) {
    return __atomic_compare_exchange_n(&state_, &from, to, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
  }
  int state_ = 0;
};

} // namespace sooth::runtime::observing
