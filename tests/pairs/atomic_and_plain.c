// An atomic store and a plain load of the same variable.
// EXPECT: race value @store @load
#include "pair.h"

int value, seen;

void* first(void* unused) {
  __atomic_store_n(&value, 1, __ATOMIC_SEQ_CST); // @store
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  seen = BAD ? value : __atomic_load_n(&value, __ATOMIC_RELAXED); // @load
  return unused;
}

int main(void) {
  run_both(first, second);
  return 0;
}
