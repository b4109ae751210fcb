#include "capture/runtime/observing/section.h"

#include <linux/membarrier.h>

#include "capture/runtime/observing/lock.h"
#include "capture/runtime/observing/own_pages.h"

namespace sooth::runtime::observing {

bool g_wants_alone;
bool g_fences;

namespace {

FutexLock g_alone_lock;

} // namespace

void make_section() {
  g_fences = os::failed(os::call(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0));
}

void reset_section() {
  g_alone_lock.reset();
  g_wants_alone = false;
}

void enter(ThreadState& self) {
  if (try_enter(self)) return;
  const StoringBreak lets_go(self);
  while (!try_enter(self)) Locked wait(g_alone_lock); // until the other thread is done
}

void be_alone(ThreadState* self) {
  if (self != nullptr) {
    const StoringBreak lets_go(*self);
    g_alone_lock.lock();
  } else {
    g_alone_lock.lock();
  }
  __atomic_store_n(&g_wants_alone, true, __ATOMIC_SEQ_CST);
  if (g_fences) __atomic_thread_fence(__ATOMIC_SEQ_CST);
  else os::call(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
  const std::uint32_t threads = __atomic_load_n(&g_thread_count, __ATOMIC_ACQUIRE);
  for (std::uint32_t i = 0; i < threads; ++i) {
    const ThreadState* other = find_thread(i);
    if (other == nullptr || other == self) continue;
    for (unsigned spins = 0; __atomic_load_n(&other->inside, __ATOMIC_ACQUIRE) != 0; ++spins) {
      if (spins > 100) os::yield();
      else __builtin_ia32_pause();
    }
  }
}

void leave_alone() {
  __atomic_store_n(&g_wants_alone, false, __ATOMIC_RELEASE);
  g_alone_lock.unlock();
}

} // namespace sooth::runtime::observing
