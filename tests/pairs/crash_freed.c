// A pointer is followed that was read from memory which another thread has freed.
// END: crash
// EXPECT: crash *
// EXPECT: use-after-free * @use
// NOTE: is part of a use after free
// MAY: race
#include <stdlib.h>

#include "pair.h"

struct node {
  struct node* next;
  int value;
};
struct node last = {NULL, 1};
struct node* volatile first;

void* remover(void* unused) {
  if (BAD) free(first);
  at(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  first = malloc(sizeof *first);
  first->next = &last;
  pthread_create(&thread, NULL, remover, NULL);
  at(1);
  struct node* next = first->next; // @use
  const int value = next->value;
  pthread_join(thread, NULL);
  return value - 1;
}
