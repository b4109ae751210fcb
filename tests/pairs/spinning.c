// A thread spins on an atomic flag until the data is there.
// EXPECT: race data @write @read
#include <sched.h>
#include <stdatomic.h>

#include "pair.h"

atomic_int ready;
int data, taken;

void* producer(void* unused) {
  data = 1; // @write
  atomic_store_explicit(&ready, 1, BAD ? memory_order_relaxed : memory_order_release);
  return unused;
}
void* consumer(void* unused) {
  while (atomic_load_explicit(&ready, memory_order_acquire) == 0) sched_yield();
  taken = data; // @read
  return unused;
}

int main(void) {
  run_both(consumer, producer);
  return 0;
}
