// Double-checked initialisation: wrong with a plain pointer, right with an atomic one.
// EXPECT: race * @publish @look
// MAY: race
#include <stdatomic.h>
#include <stdlib.h>

#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#if BAD
int* volatile instance;
#else
int* _Atomic instance;
#endif
int seen[2];

static int* get(void) {
  int* mine = instance; // @look
  if (mine == NULL) {
    pthread_mutex_lock(&lock);
    mine = instance;
    if (mine == NULL) {
      mine = malloc(sizeof *mine);
      *mine = 42;
      instance = mine; // @publish
    }
    pthread_mutex_unlock(&lock);
  }
  return mine;
}
void* first(void* unused) {
  seen[0] = *get();
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  seen[1] = *get();
  return unused;
}

int main(void) {
  run_both(first, second);
  free(instance);
  return 0;
}
