// Double-checked initialisation with an atomic pointer that is published relaxed: what it points to races.
// EXPECT: race * @fill @use
#include <stdatomic.h>
#include <stdlib.h>

#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int* _Atomic instance;
int seen[2];

static int* get(void) {
  int* mine = atomic_load_explicit(&instance, memory_order_acquire);
  if (mine == NULL) {
    pthread_mutex_lock(&lock);
    mine = atomic_load_explicit(&instance, memory_order_relaxed);
    if (mine == NULL) {
      mine = malloc(sizeof *mine);
      *mine = 42; // @fill
      atomic_store_explicit(&instance, mine, BAD ? memory_order_relaxed : memory_order_release);
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
  seen[1] = *get(); // @use
  return unused;
}

int main(void) {
  run_both(first, second);
  free(instance);
  return 0;
}
