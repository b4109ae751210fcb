// A thread stands at a barrier with a lock that the other one needs on its way there.
// EXPECT: deadlock * @lock @wait
#include "pair.h"

pthread_barrier_t barrier;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void* first(void* unused) {
  pthread_mutex_lock(&mutex); // @lock
  pthread_mutex_unlock(&mutex);
  at(0);
  pthread_barrier_wait(&barrier);
  return unused;
}
void* second(void* unused) {
  at(1);
  if (BAD) pthread_mutex_lock(&mutex);
  pthread_barrier_wait(&barrier); // @wait
  if (BAD) pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  run_both(first, second);
  return 0;
}
