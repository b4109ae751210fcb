// An object is replaced under a lock, and the new one gets the place of the old one: the same pointer, another object. A thread that
// uses it under the lock is safe; one that takes the pointer out of it is not.
// EXPECT: use-after-free * @use @free
// MAY: race
#include <stdlib.h>

#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int* current;
int seen;

void* reader(void* unused) {
  pthread_mutex_lock(&lock);
  int* mine = current;
  if (BAD) pthread_mutex_unlock(&lock);
  seen = *mine; // @use
  if (!BAD) pthread_mutex_unlock(&lock);
  at(0);
  return unused;
}
void* writer(void* unused) {
  at(1);
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&lock);
    free(current); // @free
    current = malloc(sizeof *current);
    *current = i;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  current = malloc(sizeof *current);
  *current = 7;
  run_both(reader, writer);
  free(current);
  return 0;
}
