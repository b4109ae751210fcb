// The waiter destroys the condition as soon as it is told. The bad one is told before the signal
// comes: the mutex is given up too early.
// EXPECT: use-after-free * @signal
#include "pair.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
int done;

static void* finish(void* unused) {
  pthread_mutex_lock(&mutex);
  done = 1;
  if (BAD) pthread_mutex_unlock(&mutex);
  pthread_cond_signal(&condition); // @signal
  if (!BAD) pthread_mutex_unlock(&mutex);
  at(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, finish, NULL);
  at(1);
  pthread_mutex_lock(&mutex);
  while (!done) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  pthread_cond_destroy(&condition);
  pthread_join(thread, NULL);
  return 0;
}
