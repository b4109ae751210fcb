// A reader that forgets the read-write lock.
// EXPECT: race value @write @read
#include "pair.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int value, seen;

void* writer(void* unused) {
  pthread_rwlock_wrlock(&lock);
  value = 1; // @write
  pthread_rwlock_unlock(&lock);
  at(0);
  return unused;
}
void* reader(void* unused) {
  at(1);
  if (!BAD) pthread_rwlock_rdlock(&lock);
  seen = value; // @read
  if (!BAD) pthread_rwlock_unlock(&lock);
  return unused;
}

int main(void) {
  run_both(writer, reader);
  return 0;
}
