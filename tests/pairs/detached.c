// A detached thread's result, waited for with a semaphore or only hoped for.
// EXPECT: race result @write @read
#include <semaphore.h>

#include "pair.h"

sem_t done;
int result, seen;

void* child(void* unused) {
  result = 1; // @write
  sem_post(&done);
  at(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  sem_init(&done, 0, 0);
  pthread_create(&thread, NULL, child, NULL);
  pthread_detach(thread);
  at(1);
  if (!BAD) sem_wait(&done);
  seen = result; // @read
  return 0;
}
