// A number that is read and stored atomically, and copied on the way, hides a race on y. In the
// good one it is read again at once. The trace has only the first of the two reads, and what the
// second one is for decides.
// EXPECT: race y
// MODELS: full
#include <sooth/sooth.h>

#include "pair.h"

SOOTH_LOOKS_AT_NOTHING void at(int turn);

int count, copy, y;

__attribute__((noinline)) int second_look(void) { return __atomic_load_n(&count, __ATOMIC_ACQUIRE); }

void* one(void* unused) {
  y = 1;
  const int seen = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
  __atomic_store_n(&count, seen + 1, __ATOMIC_RELEASE);
  at(0);
  return unused;
}

void* two(void* unused) {
  at(1);
  const int seen = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
  const int now = BAD ? 1 : second_look();
  __atomic_fetch_add(&copy, seen, __ATOMIC_RELAXED);
  if (now == 1) y = 2;
  return unused;
}

int main(void) {
  run_both(one, two);
  return y == 0;
}
