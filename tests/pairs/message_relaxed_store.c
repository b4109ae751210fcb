// A message behind a flag that is stored relaxed, or with release.
// EXPECT: race data @write @read
#include <stdatomic.h>

#include "pair.h"

atomic_int flag;
int data, taken;

void* producer(void* unused) {
  data = 1; // @write
  atomic_store_explicit(&flag, 1, BAD ? memory_order_relaxed : memory_order_release);
  at(0);
  return unused;
}
void* consumer(void* unused) {
  at(1);
  if (atomic_load_explicit(&flag, memory_order_acquire) == 1) {
    taken = data; // @read
  }
  return unused;
}

int main(void) {
  run_both(producer, consumer);
  return 0;
}
