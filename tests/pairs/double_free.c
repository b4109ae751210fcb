// Each thread that finds the block frees it; the bad one does not say that it did. The process leaves before the allocator looks.
// EXPECT: double-free *
#include <stdlib.h>
#include <unistd.h>

#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void* block;

static void release(void) {
  pthread_mutex_lock(&lock);
  void* mine = block;
  if (!BAD) block = NULL;
  pthread_mutex_unlock(&lock);
  free(mine);
}
void* first(void* unused) {
  release();
  at(0);
  at(-1); // never comes
  return unused;
}
void* second(void* unused) {
  at(1);
  release();
  at(2);
  at(-1);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  block = malloc(16);
  pthread_create(&threads[0], NULL, first, NULL);
  pthread_create(&threads[1], NULL, second, NULL);
  at(3);
  _exit(0);
}
