// CELLS: repeated accesses are left out by the inlined check, and only those.
// LOG: write8 0x1 'wide'
// LOG: write4 0x2 'halves[1]'
// LOG: mark segment
// LOG-CELLS-COUNT: 1 read8 0x7 'wide'
// LOG-CELLS-COUNT: 1 write8 @@ 'wide'
// LOG-CELLS-COUNT: 2 write4 @@ 'halves[1]'
// LOG-CELLS-COUNT: 1 write2 @@ 'inside.value'
// LOG-CELLS-COUNT: 2 write2 @@ 'crossing.value'
#include <stdio.h>

extern void fake_mark(const char*) __attribute__((weak));
extern void fake_segment(void) __attribute__((weak));
__attribute__((aligned(8))) volatile long wide;
__attribute__((aligned(8))) volatile int halves[2];
struct __attribute__((packed, aligned(8))) {
  char pad[3];
  volatile short value;
} inside;
struct __attribute__((packed, aligned(8))) {
  char pad[7];
  volatile short value;
} crossing; // two granules: never left out

int main(void) {
  wide = 1;
  wide = 7; // known to be written: only the cell changes
  long sum = wide + wide;
  halves[1] = 2;
  halves[1] = 3;
  halves[0] = 4; // the other half of the granule
  inside.value = 5;
  inside.value = 6;
  crossing.value = 5;
  crossing.value = 6;
  if (fake_mark) fake_mark("segment");
  if (fake_segment) fake_segment();
  sum += wide; // a new segment: kept again
  halves[1] = 9;
  printf("%ld %d %d %d\n", sum, halves[0], halves[1], inside.value + crossing.value);
  return 0;
}
