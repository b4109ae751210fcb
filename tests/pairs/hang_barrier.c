// A barrier for three that two come to.
// END: standstill
// EXPECT: deadlock barrier @one @other
#include "pair.h"

pthread_barrier_t barrier;

void* first(void* unused) {
  pthread_barrier_wait(&barrier); // @one
  return unused;
}
void* second(void* unused) {
  pthread_barrier_wait(&barrier); // @other
  return unused;
}

int main(void) {
  pthread_barrier_init(&barrier, NULL, BAD ? 3 : 2);
  run_both(first, second);
  pthread_barrier_destroy(&barrier);
  return 0;
}
