/* Only so that the same run is seen every time: not recorded, and no part of the program that is meant. */
#pragma once

#include <sched.h>

#include <sooth/sooth.h>

static int turn_is_over = 0;
SOOTH_NO_RECORD __attribute__((noinline)) static void end_turn() {
  __atomic_store_n(&turn_is_over, 1, __ATOMIC_RELEASE);
}
SOOTH_NO_RECORD __attribute__((noinline)) static void wait_for_turn() {
  while (__atomic_load_n(&turn_is_over, __ATOMIC_ACQUIRE) == 0) sched_yield();
}
