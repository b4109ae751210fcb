// A counter of references, relaxed: the last owner frees the object, and is not ordered behind what
// the others did with it.
// EXPECT: use-after-free * @use @free
// NOTE: memory model
#include <stdatomic.h>
#include <stdlib.h>

#include "pair.h"

struct object {
  int data[2];
  atomic_int owners;
}* object;

static void give_up(struct object* mine) {
  if (atomic_fetch_sub_explicit(&mine->owners, 1, BAD ? memory_order_relaxed : memory_order_acq_rel) == 1)
    free(mine); // @free
}
void* first(void* unused) {
  struct object* mine = object;
  mine->data[0] = 1; // @use
  give_up(mine);
  at(0);
  return unused;
}
void* second(void* unused) {
  struct object* mine = object;
  mine->data[1] = 2;
  at(1);
  give_up(mine);
  return unused;
}

int main(void) {
  object = malloc(sizeof *object);
  atomic_init(&object->owners, 2);
  run_both(first, second);
  return 0;
}
