// A mutex and a read-write lock in opposite order.
// EXPECT: deadlock * @first @second
#include "pair.h"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t b = PTHREAD_RWLOCK_INITIALIZER;

void* first(void* unused) {
  pthread_mutex_lock(&a);
  pthread_rwlock_rdlock(&b); // @first
  pthread_rwlock_unlock(&b);
  pthread_mutex_unlock(&a);
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  if (BAD) pthread_rwlock_wrlock(&b);
  pthread_mutex_lock(&a); // @second
  if (!BAD) pthread_rwlock_wrlock(&b);
  pthread_rwlock_unlock(&b);
  pthread_mutex_unlock(&a);
  return unused;
}

int main(void) {
  run_both(first, second);
  return 0;
}
