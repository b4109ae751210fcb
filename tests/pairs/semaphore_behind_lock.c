// A thread waits for a post with a lock that the poster needs before it posts.
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
  if (BAD) pthread_mutex_lock(&mutex);
  sem_wait(&ready); // @wait
  if (BAD) pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  sem_init(&ready, 0, 0);
  run_both(poster, waiter);
  return 0;
}
