// The schedule of a pair's program, forced by what Sooth does not see: this file is compiled without it.
#include <sched.h>

#include "pair.h"

static volatile int reached;

void at(int turn) {
  while (__atomic_load_n(&reached, __ATOMIC_ACQUIRE) != turn) sched_yield();
  __atomic_store_n(&reached, turn + 1, __ATOMIC_RELEASE);
}
