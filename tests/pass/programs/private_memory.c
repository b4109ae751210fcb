// What nobody else can see is left out; what is passed on is not.
// LOG-NOT: 'counter'
// LOG-NOT: 'local'
// LOG-NOT: 'table
// LOG-NOT: 'mine'
// LOG: write4 0x5 'passed'
// LOG: read4 0x5 '*p' at
// LOG: write4 0x6 '*p' at
// LOG: read4 0x6 'passed' at
// LOG: write4 0x9 'seen_by_others'
#include <stdio.h>

static const int table[4] = {1, 2, 3, 4};
static _Thread_local int mine;
_Thread_local int seen_by_others;

__attribute__((noinline)) void change(int* p) { *p = *p + 1; }

struct big {
  int local[16];
};
__attribute__((noinline)) int by_value(struct big b) { return b.local[3] + b.local[15]; }

int main(int argc, char** argv) {
  (void)argv;
  volatile int counter = 0;
  for (int i = 0; i < 10; ++i) counter += table[(i + argc) % 4];
  int local[4] = {argc, 2, 3, 4};
  int sum = 0;
  for (int i = 0; i < 4; ++i) sum += local[i];
  mine += sum;
  seen_by_others = 9;
  int passed = 5;
  change(&passed);
  struct big b = {{argc}};
  b.local[3] = argc;
  printf("%d %d %d %d %d\n", counter, sum, mine, passed, by_value(b));
  return 0;
}
