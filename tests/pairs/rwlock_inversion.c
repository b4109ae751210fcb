// Read-write locks in opposite order: shared requests wait only for writers.
// EXPECT: deadlock * @first @second
#include "pair.h"

pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER, b = PTHREAD_RWLOCK_INITIALIZER;

void* first(void* unused) {
  pthread_rwlock_rdlock(&a);
  if (BAD) pthread_rwlock_wrlock(&b); // @first
  else pthread_rwlock_rdlock(&b);
  pthread_rwlock_unlock(&b);
  pthread_rwlock_unlock(&a);
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  pthread_rwlock_rdlock(&b);
  if (BAD) pthread_rwlock_wrlock(&a); // @second
  else pthread_rwlock_rdlock(&a);
  pthread_rwlock_unlock(&a);
  pthread_rwlock_unlock(&b);
  return unused;
}

int main(void) {
  run_both(first, second);
  return 0;
}
