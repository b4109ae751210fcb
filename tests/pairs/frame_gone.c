// In the recorded run itself, the variable is looked at after its function has returned.
// EXPECT: use-after-free * @use
// MAY: race
#include <semaphore.h>

#include "pair.h"

sem_t ready, done;
int* given;
int seen;

void* look(void* unused) {
  sem_wait(&ready);
  if (BAD) at(1);
  seen = *given; // @use
  sem_post(&done);
  return unused;
}
__attribute__((noinline)) void give(void) {
  int local = 7;
  given = &local;
  sem_post(&ready);
  if (!BAD) sem_wait(&done);
}

int main(void) {
  pthread_t thread;
  sem_init(&ready, 0, 0);
  sem_init(&done, 0, 0);
  pthread_create(&thread, NULL, look, NULL);
  give();
  if (BAD) at(0);
  pthread_join(thread, NULL);
  return 0;
}
