// A thread that has left a barrier may destroy it, although the others are still leaving. One that
// was not there may not.
// EXPECT: use-after-free barrier @arrive
#include "pair.h"

pthread_barrier_t barrier;

static void* meet(void* unused) {
  pthread_barrier_wait(&barrier); // @arrive
  at(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_barrier_init(&barrier, NULL, BAD ? 1 : 2);
  pthread_create(&thread, NULL, meet, NULL);
  if (!BAD) pthread_barrier_wait(&barrier);
  at(1);
  pthread_barrier_destroy(&barrier);
  pthread_join(thread, NULL);
  return 0;
}
