// A primitive that is not followed is counted and told, and works.
// EXPECT-UNSUPPORTED: swapcontext
// EXPECT-OUTPUT: there and back
#include <stdio.h>
#include <ucontext.h>

static ucontext_t here, there;
static char stack[64 * 1024];

static void other(void) {
  printf("there ");
  swapcontext(&there, &here);
}

int main(void) {
  getcontext(&there);
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = sizeof stack;
  there.uc_link = &here;
  makecontext(&there, other, 0);
  swapcontext(&here, &there);
  puts("and back");
  return 0;
}
