// volatile is no synchronisation: both the flag and the data race.
// EXPECT: race ready @set @look
// EXPECT: race data @write @read
#include <sched.h>
#include <stdatomic.h>

#include "pair.h"

#if BAD
volatile int ready;
#else
atomic_int ready;
#endif
int data, taken;

void* producer(void* unused) {
  data = 1;  // @write
  ready = 1; // @set
  return unused;
}
void* consumer(void* unused) {
  while (!ready) sched_yield(); // @look
  taken = data;                 // @read
  return unused;
}

int main(void) {
  run_both(consumer, producer);
  return 0;
}
