// Two mutexes that live at the same address, one after the other, do not order what is between them.
// EXPECT: race value @first @second
#include <stdlib.h>

#include "pair.h"

int value;
pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;

static void own_lock(void) {
  pthread_mutex_t* mine = malloc(sizeof *mine);
  pthread_mutex_init(mine, NULL);
  pthread_mutex_lock(mine);
  pthread_mutex_unlock(mine);
  pthread_mutex_destroy(mine);
  free(mine);
}
static void common_lock(void) {
  if (BAD) return own_lock();
  pthread_mutex_lock(&shared);
}
static void common_unlock(void) {
  if (BAD) return own_lock();
  pthread_mutex_unlock(&shared);
}
void* first(void* unused) {
  common_lock();
  value = 1; // @first
  common_unlock();
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  common_lock();
  value = 2; // @second
  common_unlock();
  return unused;
}

int main(void) {
  run_both(first, second);
  return 0;
}
