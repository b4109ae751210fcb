// The same with a consumer that really waits.
// EXPECT: race data @late @take
#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
int waiting, full, data, taken;

void* consumer(void* unused) {
  pthread_mutex_lock(&lock);
  waiting = 1;
  while (!full) pthread_cond_wait(&ready, &lock);
  pthread_mutex_unlock(&lock);
  at(1);
  taken = data; // @take
  return unused;
}
void* producer(void* unused) {
  for (int there = 0; !there;) {
    pthread_mutex_lock(&lock);
    there = waiting;
    pthread_mutex_unlock(&lock);
  }
  if (!BAD) data = 2;
  pthread_mutex_lock(&lock);
  full = 1;
  pthread_cond_signal(&ready);
  pthread_mutex_unlock(&lock);
  if (BAD) data = 2; // @late
  at(0);
  return unused;
}

int main(void) {
  run_both(consumer, producer);
  return 0;
}
