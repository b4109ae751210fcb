// The last owner frees. The bad one looks at the count again, in a second step.
// EXPECT: use-after-free * @look
// MAY: double-free
#include <stdatomic.h>
#include <stdlib.h>

#include "pair.h"

struct object {
  atomic_int owners;
}* object;

static void give_up(void) {
  if (BAD) {
    atomic_fetch_sub(&object->owners, 1);
    if (atomic_load(&object->owners) == 0) free(object); // @look
  } else if (atomic_fetch_sub(&object->owners, 1) == 1) {
    free(object);
  }
}
void* first(void* unused) {
  give_up();
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  give_up();
  return unused;
}

int main(void) {
  object = malloc(sizeof *object);
  atomic_init(&object->owners, 2);
  run_both(first, second);
  return 0;
}
