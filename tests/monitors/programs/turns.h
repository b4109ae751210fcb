// Steps of several threads in one fixed order. Nothing of it is recorded or monitored, so that no knowledge travels with it:
// the order is forced, but the program's own synchronisation does not know.
#pragma once

#include <sched.h>
#include <sooth/sooth.h>

static int turns_taken;

// Waits until `step` steps were done.
SOOTH_NO_RECORD static __attribute__((noinline, unused)) void turn(int step) {
  while (__atomic_load_n(&turns_taken, __ATOMIC_ACQUIRE) != step) sched_yield();
}
SOOTH_NO_RECORD static __attribute__((noinline, unused)) void done(void) {
  __atomic_fetch_add(&turns_taken, 1, __ATOMIC_RELEASE);
}
