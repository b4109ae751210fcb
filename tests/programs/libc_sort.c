// qsort and qsort_r with an instrumented comparison, bsearch. What libc has moved is no change from
// outside.
// FLAGS: -D_GNU_SOURCE
// EXPECT: write * >=1
// EXPECT: read * >=1
// EXPECT: external-write * x0
// EXPECT-OUTPUT: 1 2 3 5 8
// EXPECT-OUTPUT: found 5
// EXPECT-OUTPUT: 0 7 1023 in 1
#include <stdio.h>
#include <stdlib.h>

static int numbers[] = {5, 3, 8, 1, 2};

static int by_value(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

static int by_key(const void* a, const void* b, void* sorts) {
  ++*(int*)sorts;
  return by_value(a, b);
}

int main(void) {
  const int wanted = 5;
  qsort(numbers, 5, sizeof *numbers, by_value);
  for (int i = 0; i < 5; ++i) printf("%d%s", numbers[i], i == 4 ? "\n" : " ");
  const int* found = bsearch(&wanted, numbers, 5, sizeof *numbers, by_value);
  printf("found %d\n", found != NULL ? *found : -1);
  // Large enough for libc to sort them in a copy, or by pointers to them.
  static struct large {
    int key, rest[15];
  } large[1024];
  int sorts = 0;
  for (int i = 0; i < 1024; ++i) large[i].key = (i * 37) % 1024;
  qsort_r(large, 1024, sizeof *large, by_key, &sorts);
  printf("%d %d %d in %d\n", large[0].key, large[7].key, large[1023].key, sorts > 1024);
  return 0;
}
