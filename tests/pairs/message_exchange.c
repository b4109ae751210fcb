// An exchange that is relaxed, or acquires and releases.
// EXPECT: race data @write @read
#include <stdatomic.h>

#include "pair.h"

atomic_int flag;
int data, taken;

void* producer(void* unused) {
  data = 1; // @write
  atomic_exchange_explicit(&flag, 1, BAD ? memory_order_relaxed : memory_order_acq_rel);
  at(0);
  return unused;
}
void* consumer(void* unused) {
  at(1);
  if (atomic_exchange_explicit(&flag, 2, memory_order_acq_rel) == 1) {
    taken = data; // @read
  }
  return unused;
}

int main(void) {
  run_both(producer, consumer);
  return 0;
}
