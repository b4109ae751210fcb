// A thread asks for a mutex that it has, in a function that it calls with it.
// END: standstill
// EXPECT: deadlock mutex @again @outer
// NOTE: The thread itself has what it asks for.
// STACK: @again inner outer main
#include "pair.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) void inner(void) {
  pthread_mutex_lock(&mutex); // @again
  pthread_mutex_unlock(&mutex);
}
__attribute__((noinline)) void outer(void) {
  pthread_mutex_lock(&mutex); // @outer
  if (!BAD) pthread_mutex_unlock(&mutex);
  inner();
  if (BAD) pthread_mutex_unlock(&mutex);
}

int main(void) {
  outer();
  return 0;
}
