// A semaphore counts: a waiting thread passes by any post. In the recorded run the wait meets the
// post that stands behind the write; but the other thread's post lets it pass, too. The good one
// waits for both.
// EXPECT: race data @write @read
#include <semaphore.h>

#include "pair.h"

sem_t ready;
int data, taken;

void* producer(void* unused) {
  data = 1; // @write
  sem_post(&ready);
  at(0);
  return unused;
}
void* helper(void* unused) {
  at(1);
  sem_post(&ready);
  at(2);
  return unused;
}
void* consumer(void* unused) {
  at(3);
  sem_wait(&ready);
  if (!BAD) sem_wait(&ready);
  taken = data; // @read
  return unused;
}

int main(void) {
  sem_init(&ready, 0, 0);
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, producer, NULL);
  pthread_create(&threads[1], NULL, helper, NULL);
  pthread_create(&threads[2], NULL, consumer, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  return 0;
}
