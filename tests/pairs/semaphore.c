// A semaphore as a hand-over; the bad one posts too early.
// EXPECT: race data @write @read
#include <semaphore.h>

#include "pair.h"

sem_t ready;
int data, taken;

void* producer(void* unused) {
  if (BAD) sem_post(&ready);
  data = 1; // @write
  if (!BAD) sem_post(&ready);
  at(0);
  return unused;
}
void* consumer(void* unused) {
  at(1);
  sem_wait(&ready);
  taken = data; // @read
  return unused;
}

int main(void) {
  sem_init(&ready, 0, 0);
  run_both(producer, consumer);
  return 0;
}
