// Bytes behind the requested ones belong to a block, too, as far as malloc_usable_size says,
// although they were part of a larger block that was freed before. After the block's own free, no
// byte does.
// EXPECT: use-after-free * @use
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "pair.h"

enum { kLarge = 40, kSmall = 26 }; // malloc makes both of one size

static unsigned char sum;

static void* work(void* unused) {
  unsigned char* large = malloc(kLarge);
  memset(large, 1, kLarge);
  free(large);
  unsigned char* small = malloc(kSmall); // in the same place
  size_t bytes = malloc_usable_size(small);
  memset(small, 2, bytes);
  unsigned char* grown = realloc(small, bytes); // copies all of them
  unsigned char* zeroed = calloc(1, kSmall);
  zeroed[malloc_usable_size(zeroed) - 1] = 3;
  free(zeroed);
  if (BAD) free(grown);
  sum = grown[bytes - 1]; // @use
  if (!BAD) free(grown);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  return sum == 255;
}
