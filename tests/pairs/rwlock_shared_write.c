// Two writers under the shared side of a read-write lock.
// EXPECT: race value @write @write
#include "pair.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int value;

void* work(void* unused) {
  if (BAD) pthread_rwlock_rdlock(&lock);
  else pthread_rwlock_wrlock(&lock);
  ++value; // @write
  pthread_rwlock_unlock(&lock);
  return unused;
}

int main(void) {
  run_both(work, work);
  return 0;
}
