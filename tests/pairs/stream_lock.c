// The lock of a stream guards what the program likes. The error: one of the two does not take it.
// EXPECT: race counter @plain @locked
#include <stdio.h>

#include "pair.h"

int counter;

void* first(void* unused) {
  flockfile(stderr);
  flockfile(stderr);
  counter += 1; // @locked
  funlockfile(stderr);
  funlockfile(stderr);
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  if (BAD || ftrylockfile(stderr) != 0) {
    counter += 2; // @plain
    return unused;
  }
  counter += 4;
  funlockfile(stderr);
  return unused;
}

int main(void) {
  run_both(first, second);
  return 0;
}
