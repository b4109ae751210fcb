// Two threads wait for a condition. One signal wakes only one of them, and the other waits for
// ever. Which one it is, only the kernel knows.
// END: asleep
// EXPECT: deadlock condition @wait
// MAY: lost-wakeup
#include "pair.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
int ready;

static void wait_at(int turn) {
  pthread_mutex_lock(&mutex);
  at(turn);                                             // the mutex is free again when this thread waits
  while (!ready) pthread_cond_wait(&condition, &mutex); // @wait
  pthread_mutex_unlock(&mutex);
}

void* first(void* unused) {
  wait_at(0);
  return unused;
}

void* second(void* unused) {
  at(1);
  wait_at(2);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, first, NULL);
  pthread_create(&threads[1], NULL, second, NULL);
  at(3);
  pthread_mutex_lock(&mutex); // both wait now
  ready = 1;
  if (BAD) pthread_cond_signal(&condition);
  else pthread_cond_broadcast(&condition);
  pthread_mutex_unlock(&mutex);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  return 0;
}
