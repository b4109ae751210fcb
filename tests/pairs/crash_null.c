// A null pointer is written through.
// END: crash
// EXPECT: crash * @write
// NOTE: signal 11 (Segmentation fault) at address 0x0
#include "pair.h"

int value;
int* volatile target;

int main(void) {
  target = BAD ? NULL : &value;
  *target = 1; // @write
  return value - 1;
}
