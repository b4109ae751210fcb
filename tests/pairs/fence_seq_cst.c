// Full fences on both sides; a fence for signal handlers is none for threads.
// EXPECT: race data @write @read
#include <stdatomic.h>

#include "pair.h"

atomic_int flag;
int data, taken;

void* producer(void* unused) {
  data = 1; // @write
  if (BAD) atomic_signal_fence(memory_order_seq_cst);
  else atomic_thread_fence(memory_order_seq_cst);
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  at(0);
  return unused;
}
void* consumer(void* unused) {
  at(1);
  if (atomic_load_explicit(&flag, memory_order_relaxed) == 1) {
    atomic_thread_fence(memory_order_seq_cst);
    taken = data; // @read
  }
  return unused;
}

int main(void) {
  run_both(producer, consumer);
  return 0;
}
