// A spin lock made of an atomic_flag; the bad one is given up relaxed.
// EXPECT: race value @add @add
#include <stdatomic.h>

#include "pair.h"

atomic_flag flag = ATOMIC_FLAG_INIT;
int value;

static void add(void) {
  while (atomic_flag_test_and_set_explicit(&flag, memory_order_acquire)) {
  }
  ++value; // @add
  atomic_flag_clear_explicit(&flag, BAD ? memory_order_relaxed : memory_order_release);
}
void* first(void* unused) {
  add();
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  add();
  return unused;
}

int main(void) {
  run_both(first, second);
  return 0;
}
