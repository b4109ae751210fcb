// A node is freed under the lock under which the other thread reaches it, but stays linked.
// EXPECT: use-after-free * @use
#include <stdlib.h>

#include "pair.h"

struct node {
  struct node* next;
  int value;
};

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct node* first;
int sum;

void* reader(void* unused) {
  pthread_mutex_lock(&lock);
  for (struct node* node = first; node != NULL; node = node->next) sum += node->value; // @use
  pthread_mutex_unlock(&lock);
  at(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  first = malloc(sizeof *first);
  first->next = NULL;
  first->value = 1;
  pthread_create(&thread, NULL, reader, NULL);
  at(1);
  pthread_mutex_lock(&lock);
  struct node* node = first;
  if (!BAD) first = node->next;
  free(node);
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  return sum - 1;
}
