// A third thread changes the flag in between. An atomic change continues the release sequence; a store ends it.
// EXPECT: race data @write @read
#include <stdatomic.h>

#include "pair.h"

atomic_int flag;
int data, taken;

void* producer(void* unused) {
  data = 1; // @write
  atomic_store_explicit(&flag, 1, memory_order_release);
  at(0);
  return unused;
}
void* changer(void* unused) {
  at(1);
  if (BAD) atomic_store_explicit(&flag, 2, memory_order_relaxed);
  else atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
  at(2);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, producer, NULL);
  pthread_create(&b, NULL, changer, NULL);
  at(3);
  if (atomic_load_explicit(&flag, memory_order_acquire) == 2) taken = data; // @read
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
