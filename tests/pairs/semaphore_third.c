// As in semaphore_behind_lock.c, but the good one has a third thread that posts in any case: nobody waits for ever.
// EXPECT: deadlock * @lock @wait
#include <semaphore.h>

#include "pair.h"

sem_t ready;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void* poster(void* unused) {
  pthread_mutex_lock(&mutex); // @lock
  pthread_mutex_unlock(&mutex);
  sem_post(&ready);
  at(0);
  return unused;
}
void* waiter(void* unused) {
  at(1);
  pthread_mutex_lock(&mutex);
  sem_wait(&ready); // @wait
  pthread_mutex_unlock(&mutex);
  return unused;
}
void* third(void* unused) {
  if (!BAD) sem_post(&ready);
  return unused;
}

int main(void) {
  pthread_t thread;
  sem_init(&ready, 0, 0);
  pthread_create(&thread, NULL, third, NULL);
  run_both(poster, waiter);
  pthread_join(thread, NULL);
  return 0;
}
