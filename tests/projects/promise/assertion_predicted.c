// Crashes: an assertion that fails in another schedule only.
// FOUND: assertion
#undef NDEBUG
#include <assert.h>

#include "pair.h"
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int busy;
void set(int value) {
  pthread_mutex_lock(&lock);
  busy = value;
  pthread_mutex_unlock(&lock);
}
void* worker(void* unused) {
  set(1);
  set(0);
  at(0);
  return unused;
}
void* checker(void* unused) {
  at(1);
  pthread_mutex_lock(&lock);
  assert(busy == 0);
  pthread_mutex_unlock(&lock);
  return unused;
}
int main(void) { run_both(worker, checker); }
