// A semaphore that counts from one is a lock; from two it lets both in.
// EXPECT: race value @add @add
#include <semaphore.h>

#include "pair.h"

sem_t door;
int value;

void* work(void* unused) {
  sem_wait(&door);
  ++value; // @add
  sem_post(&door);
  return unused;
}

int main(void) {
  sem_init(&door, 0, BAD ? 2 : 1);
  run_both(work, work);
  return 0;
}
