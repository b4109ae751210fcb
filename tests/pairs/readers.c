// Any number of readers is fine; one writer among them is not.
// EXPECT: race table @write @read
#include "pair.h"

int table = 7, sums[2];

void* first(void* unused) {
  sums[0] = table; // @read
  return unused;
}
void* second(void* unused) {
  sums[1] = table;
  if (BAD) table = sums[1] + 1; // @write
  return unused;
}

int main(void) {
  run_both(first, second);
  return 0;
}
