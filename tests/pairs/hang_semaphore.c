// A semaphore is waited for twice and posted once.
// END: standstill
// EXPECT: deadlock semaphore @ask
// NOTE: nobody is left
#include <semaphore.h>

#include "pair.h"

sem_t semaphore;

void* waiter(void* unused) {
  sem_wait(&semaphore);
  sem_wait(&semaphore); // @ask
  return unused;
}

int main(void) {
  pthread_t thread;
  sem_init(&semaphore, 0, 0);
  pthread_create(&thread, NULL, waiter, NULL);
  sem_post(&semaphore);
  if (!BAD) sem_post(&semaphore);
  pthread_join(thread, NULL);
  return 0;
}
