// MLLVM: -sooth-branches=true
// Branches that loaded values decide, also through locals and calls.
// LOG: branch @@ '' at branches.c:22 in check branch
// LOG: branch @@ '' at branches.c:26 in check branch
// LOG: branch 3 '' at branches.c:33 in choose branch
// LOG-NOT: in fixed branch
#include <stdio.h>

int shared = 1, other;

__attribute__((noinline)) void fixed(void) {
  for (volatile int i = 0; i < 3; ++i) other += 1;
}
int zero;
__attribute__((noinline)) int value(void) { return zero; }

__attribute__((noinline)) int check(void) {
  int result = 0;
  int local = shared;
  local = local + 4;

  if (local == 5) {
    other = 7;
    result += 1;
  }
  if (value()) {
    other = 8;
    result += 2;
  }
  return result;
}
__attribute__((noinline)) int choose(volatile int* p) {
  switch (*p) {
  case 1: return other + 10;
  case 3: other = 2; return 77;
  case 7: fixed(); return 3;
  case 9: other = 3; return 78;
  default: return shared;
  }
}

int main(void) {
  int three = 3;
  fixed();
  printf("%d %d\n", check(), choose(&three));
  return 0;
}
