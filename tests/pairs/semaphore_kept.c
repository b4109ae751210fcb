// The thread that comes first takes the only permit; one of the two does not give it back.
// EXPECT: deadlock * @wait
#include <semaphore.h>

#include "pair.h"

sem_t permit;

void* first(void* unused) {
  sem_wait(&permit); // @wait
  sem_post(&permit);
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  sem_wait(&permit);
  if (!BAD) sem_post(&permit);
  return unused;
}

int main(void) {
  sem_init(&permit, 0, 1);
  run_both(first, second);
  return 0;
}
