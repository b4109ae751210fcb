// Hooks run beside each other; what concerns all threads runs alone.
//
// Question: how can a hook be sure that no checkpoint comes in between, without writing to memory
//   that other threads write?
// Source: biased locks. A hook marks its own thread as inside, and looks whether a thread wants to
//   be alone. That thread announces itself, passes a barrier on all cores (membarrier), and waits
//   until nobody is inside. The barrier stands in for the one that hooks do not have: either the
//   hook sees the announcement, or the announcer sees the mark.
// Cost: for a hook two stores and a load; to be alone some microseconds, and the longest hook that
//   is under way.
#pragma once

#include "capture/runtime/observing/threads.h"

namespace sooth::runtime::observing {

// Once, before the first hook.
void make_section();
// In the child of a fork, where no other thread is left.
void reset_section();

extern bool g_wants_alone; // a thread is alone, or wants to be
extern bool g_fences;      // there is no barrier for all cores: every hook has its own

// False if a thread is alone, or wants to be: then the caller is not inside. For the quick paths.
inline bool try_enter(ThreadState& self) {
  __atomic_store_n(&self.inside, 1, __ATOMIC_RELAXED); // ordered by the other side's barrier
  if (__builtin_expect(g_fences, 0)) __atomic_thread_fence(__ATOMIC_SEQ_CST);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (__builtin_expect(!__atomic_load_n(&g_wants_alone, __ATOMIC_ACQUIRE), 1)) return true;
  __atomic_store_n(&self.inside, 0, __ATOMIC_RELEASE);
  return false;
}
inline void leave(ThreadState& self) { __atomic_store_n(&self.inside, 0, __ATOMIC_RELEASE); }

// Waits until nobody is alone.
void enter(ThreadState& self);
// Waits until nobody else is inside. The caller is not inside; `self` may be null.
void be_alone(ThreadState* self);
void leave_alone();

} // namespace sooth::runtime::observing
