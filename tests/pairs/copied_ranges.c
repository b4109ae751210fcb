// memcpy into one buffer: halves that overlap by a byte, or do not.
// EXPECT: race * @low @high
#include <string.h>

#include "pair.h"

char buffer[64];
const char text[64] = "what is copied";

void* low(void* unused) {
  memcpy(buffer, text, 32); // @low
  return unused;
}
void* high(void* unused) {
  memcpy(buffer + (BAD ? 31 : 32), text, 32); // @high
  return unused;
}

int main(void) {
  run_both(low, high);
  return 0;
}
