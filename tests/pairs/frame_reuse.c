// Functions that follow each other have their variables at the same place, and each lends its own to another thread. One of them does
// not wait until it gets it back.
// EXPECT: use-after-free * @use
// MAY: race
#include <semaphore.h>

#include "pair.h"

enum { Rounds = 4, Hasty = 2 };
sem_t ready, done;
int* lent;
int sum;

static void use(void) {
  sem_wait(&ready);
  sum += *lent; // @use
  sem_post(&done);
}
static void use_and_tell(void) {
  use();
  at(0);
}
void* borrow(void* unused) {
  for (int i = 0; i < Rounds; ++i) {
    if (i == Hasty) use_and_tell();
    else use();
  }
  return unused;
}
__attribute__((noinline)) void lend(int value) {
  int local = value;
  lent = &local;
  sem_post(&ready);
  sem_wait(&done);
}
__attribute__((noinline)) void lend_in_haste(int value) {
  int local = value;
  lent = &local;
  sem_post(&ready);
  at(1);
  if (!BAD) sem_wait(&done);
}

int main(void) {
  pthread_t thread;
  sem_init(&ready, 0, 0);
  sem_init(&done, 0, 0);
  pthread_create(&thread, NULL, borrow, NULL);
  for (int i = 0; i < Rounds; ++i) {
    if (i == Hasty) lend_in_haste(i);
    else lend(i);
  }
  pthread_join(thread, NULL);
  return sum == 0;
}
