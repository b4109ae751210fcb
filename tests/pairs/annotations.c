// An order that only the program knows, told by ThreadSanitizer's annotations.
// EXPECT: race data @write @read
#include <stdatomic.h>

#include "pair.h"

void __tsan_acquire(void*);
void __tsan_release(void*);

atomic_int flag;
int data, taken;

void* producer(void* unused) {
  data = 1; // @write
  if (!BAD) __tsan_release(&flag);
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  at(0);
  return unused;
}
void* consumer(void* unused) {
  at(1);
  if (atomic_load_explicit(&flag, memory_order_relaxed) == 1) {
    if (!BAD) __tsan_acquire(&flag);
    taken = data; // @read
  }
  return unused;
}

int main(void) {
  run_both(producer, consumer);
  return 0;
}
