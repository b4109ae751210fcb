// qsort with an instrumented comparison, bsearch.
// EXPECT: write * >=1
// EXPECT: read * >=1
// EXPECT-OUTPUT: 1 2 3 5 8
// EXPECT-OUTPUT: found 5
#include <stdio.h>
#include <stdlib.h>

static int numbers[] = {5, 3, 8, 1, 2};

static int by_value(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

int main(void) {
  const int wanted = 5;
  qsort(numbers, 5, sizeof *numbers, by_value);
  for (int i = 0; i < 5; ++i) printf("%d%s", numbers[i], i == 4 ? "\n" : " ");
  const int* found = bsearch(&wanted, numbers, 5, sizeof *numbers, by_value);
  printf("found %d\n", found != NULL ? *found : -1);
  return 0;
}
