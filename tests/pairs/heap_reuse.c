// malloc hands the same address to two threads, one after the other: two objects. Shared, it is one.
// EXPECT: race * @write @write
#include <stdlib.h>

#include "pair.h"

int* common;

static void use(void) {
  int* block = BAD ? common : malloc(sizeof *block);
  *block = 1; // @write
  if (!BAD) free(block);
}
void* first(void* unused) {
  use();
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  use();
  return unused;
}

int main(void) {
  common = malloc(sizeof *common);
  run_both(first, second);
  free(common);
  return 0;
}
