// <sooth/sooth.h> in C.
// EXPECT: user * x4
// EXPECT: atomic-begin * x3
// EXPECT: atomic-end * x3
// EXPECT: watch * x2
// EXPECT: thread-name * x1
// EXPECT-OUTPUT: 3
// FLAGS: -std=c11 -Wall -Wextra -Wpedantic -Werror
#include <sooth/sooth.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
  int value;
};
static int total;

SOOTH_NO_RECORD static int quietly(int n) { return n + 1; }

static int early(int leave) {
  SOOTH_ATOMIC("early");
  if (leave) return 1; // the scope ends here too
  return 2;
}

int main(void) {
  struct node* node = malloc(sizeof *node);
  if (node == NULL) return 1;
  sooth_thread_name("main");
  SOOTH_WATCH("total", total);
  SOOTH_WATCH("value", node->value);
  for (int i = 0; i < 3; ++i) {
    sooth_event("step", i);
    total += 1;
  }
  sooth_event_double("half", 0.5);
  SOOTH_ATOMIC_BEGIN("pair");
  node->value = quietly(total);
  SOOTH_ATOMIC_END("pair");
  printf("%d\n", node->value - early(1) - early(0) + 2);
  SOOTH_TERMINATES();
  free(node);
  return 0;
}
