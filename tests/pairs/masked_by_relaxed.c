// A relaxed atomic counter hides a race on y. In the good one its result decides.
// EXPECT: race y
// MODELS: full
#include "pair.h"

static int ticks;
int y;

void* one(void* unused) {
  y = 1;
  __atomic_fetch_add(&ticks, 1, BAD ? __ATOMIC_RELAXED : __ATOMIC_SEQ_CST);
  at(0);
  return unused;
}

void* two(void* unused) {
  at(1);
#if BAD
  __atomic_fetch_add(&ticks, 1, __ATOMIC_RELAXED);
  y = 2;
#else
  if (__atomic_fetch_add(&ticks, 1, __ATOMIC_SEQ_CST) == 1) y = 2;
#endif
  return unused;
}

int main(void) {
  run_both(one, two);
  return y == 0;
}
