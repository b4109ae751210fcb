// Dekker's way of excluding each other with sequentially consistent flags; the bad one does not look at the other's.
// EXPECT: race value @add @add
#include <stdatomic.h>

#include "pair.h"

atomic_int wants[2];
int value;

static void work(int me) {
  atomic_store(&wants[me], 1);
  if (BAD || atomic_load(&wants[1 - me]) == 0) ++value; // @add
  atomic_store(&wants[me], 0);
}
void* first(void* unused) {
  work(0);
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  work(1);
  return unused;
}

int main(void) {
  run_both(first, second);
  return 0;
}
