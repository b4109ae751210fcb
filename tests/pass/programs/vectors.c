// Vectors: in parts of 8 bytes, or as ranges where they do not divide; loops that the compiler vectorises.
// LOG: write8 0x200000001 'four'
// LOG: write8 0x400000003 'four'
// LOG: read8 0x200000001 'four'
// LOG: write4 0x4030201 'small'
#include <stdio.h>

typedef int four_t __attribute__((vector_size(16)));
typedef double eight_t __attribute__((vector_size(64)));
typedef unsigned char small_t __attribute__((vector_size(4)));
four_t four;
eight_t eight;
small_t small;
int a[103], b[103], c[103];

__attribute__((noinline)) void set(int one) {
  four = (four_t){one, 2 * one, 3 * one, 4 * one};
  eight = (eight_t){1, 2, 3, 4, 5, 6, 7, one};
  small = (small_t){(unsigned char)one, 2, 3, 4};
}
__attribute__((noinline)) void add(int n) {
  for (int i = 0; i < n; ++i) c[i] = a[i] + b[i];
}
__attribute__((noinline)) int some(int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i)
    if (a[i] & 1) sum += b[i];
  return sum;
}

int main(int argc, char** argv) {
  (void)argv;
  set(argc);
  for (int i = 0; i < 103; ++i) a[i] = i, b[i] = 2 * i;
  add(102 + argc);
  four_t x = four + four;
  printf("%d %d %g %d %d %d %d\n", x[0], x[3], eight[6] + eight[7], small[0], small[3], c[102], some(102 + argc));
  return 0;
}
