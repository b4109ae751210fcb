// Accesses of different size that share one byte.
// EXPECT: race * @word @byte
#include <stdint.h>
#include <string.h>

#include "pair.h"

union {
  uint32_t words[2];
  unsigned char bytes[8];
} cell;

void* first(void* unused) {
  cell.words[0] = 0x01020304; // @word
  return unused;
}
void* second(void* unused) {
  cell.bytes[BAD ? 3 : 4] = 9; // @byte
  return unused;
}

int main(void) {
  run_both(first, second);
  return 0;
}
