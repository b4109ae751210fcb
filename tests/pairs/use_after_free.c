// A block is freed while the thread that uses it may still be at it.
// EXPECT: use-after-free * @use
// MAY: race
#include <stdlib.h>

#include "pair.h"

int* block;

void* user(void* unused) {
  *block = 1; // @use
  at(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  block = malloc(sizeof *block);
  pthread_create(&thread, NULL, user, NULL);
  at(1);
  if (!BAD) pthread_join(thread, NULL);
  free(block);
  if (BAD) pthread_join(thread, NULL);
  return 0;
}
