// A lock-free list: the head is exchanged with release, or relaxed.
// EXPECT: race * @fill @use
#include <stdatomic.h>
#include <stddef.h>

#include "pair.h"

struct node {
  int value;
  struct node* next;
} node;
struct node* _Atomic head;
int seen;

void* push(void* unused) {
  node.value = 3; // @fill
  struct node* expected = NULL;
  atomic_compare_exchange_strong_explicit(&head, &expected, &node, BAD ? memory_order_relaxed : memory_order_release,
                                          memory_order_relaxed);
  at(0);
  return unused;
}
void* pop(void* unused) {
  at(1);
  struct node* top = atomic_exchange_explicit(&head, NULL, memory_order_acquire);
  if (top != NULL) seen = top->value; // @use
  return unused;
}

int main(void) {
  run_both(push, pop);
  return 0;
}
