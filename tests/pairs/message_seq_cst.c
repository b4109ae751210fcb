// A sequentially consistent flag, or one that nobody looks at.
// EXPECT: race data @write @read
#include <stdatomic.h>

#include "pair.h"

atomic_int flag;
int data, taken;

void* producer(void* unused) {
  data = 1; // @write
  atomic_store(&flag, 1);
  at(0);
  return unused;
}
void* consumer(void* unused) {
  at(1);
  if (BAD || atomic_load(&flag) == 1) {
    taken = data; // @read
  }
  return unused;
}

int main(void) {
  run_both(producer, consumer);
  return 0;
}
