// The only signal comes before the wait, in the recorded run: nobody wakes the thread.
// END: standstill
// EXPECT: deadlock condition @wait
// MAY: lost-wakeup
#include "pair.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
int ready;

void* waiter(void* unused) {
  at(1);
  pthread_mutex_lock(&mutex);
  while (BAD || !ready) pthread_cond_wait(&condition, &mutex); // @wait
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, waiter, NULL);
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  at(0);
  pthread_join(thread, NULL);
  return 0;
}
