// Loops over an array: the second one begins one element too early.
// EXPECT: race * @low @high
#include "pair.h"

int array[64];

void* low(void* unused) {
  for (int i = 0; i < 32; ++i) array[i] = i; // @low
  return unused;
}
void* high(void* unused) {
  for (int i = BAD ? 31 : 32; i < 64; ++i) array[i] = i; // @high
  return unused;
}

int main(void) {
  run_both(low, high);
  return 0;
}
