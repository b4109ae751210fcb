// POSIX allows to destroy a condition as soon as its waiters are woken, but not the mutex: they
// take it once more.
// EXPECT: use-after-free * @wait
#include <semaphore.h>

#include "pair.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
sem_t begun;
int stop;

static void* wait(void* unused) {
  pthread_mutex_lock(&mutex);
  sem_post(&begun);
  while (!stop) pthread_cond_wait(&condition, &mutex); // @wait
  pthread_mutex_unlock(&mutex);
  at(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  sem_init(&begun, 0, 0);
  pthread_create(&thread, NULL, wait, NULL);
  sem_wait(&begun);
  pthread_mutex_lock(&mutex); // it waits
  stop = 1;
  pthread_cond_broadcast(&condition);
  pthread_mutex_unlock(&mutex);
  pthread_cond_destroy(&condition);
  at(1);
  if (!BAD) pthread_join(thread, NULL);
  pthread_mutex_destroy(&mutex);
  if (BAD) pthread_join(thread, NULL);
  return 0;
}
