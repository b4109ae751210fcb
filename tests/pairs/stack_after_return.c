// A thread gets the address of a local variable; its creator's function may return before it is used.
// EXPECT: use-after-free * @use
#include <semaphore.h>

#include "pair.h"

sem_t done;
pthread_t helper;

void* help(void* argument) {
  *(int*)argument = 1; // @use
  sem_post(&done);
  at(0);
  return NULL;
}
void* creator(void* unused) {
  int local = 0;
  pthread_create(&helper, NULL, help, &local);
  at(1);
  if (!BAD) sem_wait(&done);
  return unused;
}

int main(void) {
  pthread_t thread;
  sem_init(&done, 0, 0);
  pthread_create(&thread, NULL, creator, NULL);
  pthread_join(thread, NULL);
  pthread_join(helper, NULL);
  return 0;
}
