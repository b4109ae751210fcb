// A semaphore is destroyed by a thread that has not waited for the post.
// EXPECT: use-after-free * @post
#include <semaphore.h>

#include "pair.h"

sem_t ready;

static void* tell(void* unused) {
  sem_post(&ready); // @post
  at(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  sem_init(&ready, 0, 0);
  pthread_create(&thread, NULL, tell, NULL);
  at(1);
  if (!BAD) sem_wait(&ready);
  sem_destroy(&ready);
  pthread_join(thread, NULL);
  return 0;
}
