// Both threads free the block. In the recorded run its place was given out again in between, so that the allocator saw
// nothing; the good one takes the pointer away, and leaves the new one there.
// EXPECT: double-free *
#include <stdlib.h>

#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void* block;
void* kept;

void* first(void* unused) {
  pthread_mutex_lock(&lock);
  void* mine = block;
  if (!BAD) block = NULL;
  pthread_mutex_unlock(&lock);
  free(mine);
  kept = malloc(16); // the allocator gives the same place
  pthread_mutex_lock(&lock);
  if (!BAD) block = kept;
  pthread_mutex_unlock(&lock);
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  pthread_mutex_lock(&lock);
  void* mine = block;
  if (!BAD) block = NULL;
  pthread_mutex_unlock(&lock);
  free(mine);
  return unused;
}

int main(void) {
  block = malloc(16);
  run_both(first, second);
  return 0;
}
