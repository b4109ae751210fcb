// Data that is handed over with a condition variable; the bad producer goes on writing after the signal.
// EXPECT: race data @late @take
#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
int full, data, taken;

void* producer(void* unused) {
  data = 1;
  pthread_mutex_lock(&lock);
  full = 1;
  pthread_cond_signal(&ready);
  pthread_mutex_unlock(&lock);
  if (BAD) data = 2; // @late
  at(0);
  return unused;
}
void* consumer(void* unused) {
  at(1);
  pthread_mutex_lock(&lock);
  while (!full) pthread_cond_wait(&ready, &lock);
  pthread_mutex_unlock(&lock);
  taken = data; // @take
  return unused;
}

int main(void) {
  run_both(producer, consumer);
  return 0;
}
