// A semaphore is used after it was destroyed, in the recorded run itself.
// EXPECT: use-after-free ready @post
#include <semaphore.h>

#include "pair.h"

sem_t ready;

int main(void) {
  sem_init(&ready, 0, 0);
  sem_destroy(&ready);
  if (!BAD) sem_init(&ready, 0, 0);
  sem_post(&ready); // @post
  return 0;
}
