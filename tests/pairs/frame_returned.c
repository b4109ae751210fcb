// A function gives another thread the address of its variable; it may return before that thread looks, which goes on and on.
// EXPECT: use-after-free * @use
// MAY: race
#include <semaphore.h>

#include "pair.h"

sem_t ready, done;
int* given;
int seen;

void* look(void* unused) {
  sem_wait(&ready);
  seen = *given; // @use
  sem_post(&done);
  at(0);
  return unused;
}
__attribute__((noinline)) void give(void) {
  int local = 7;
  given = &local;
  sem_post(&ready);
  at(1);
  if (!BAD) sem_wait(&done);
}
__attribute__((noinline)) int go_on(int depth) {
  volatile int others[4] = {depth, depth, depth, depth};
  return depth == 0 ? others[1] : go_on(depth - 1) + others[2];
}

int main(void) {
  pthread_t thread;
  sem_init(&ready, 0, 0);
  sem_init(&done, 0, 0);
  pthread_create(&thread, NULL, look, NULL);
  give();
  const int sum = go_on(4);
  pthread_join(thread, NULL);
  return sum == 0;
}
