// Two threads read one lock each and want to write the other's, and in the recorded run neither goes on.
// END: standstill
// EXPECT: deadlock * @first @second @join @reads_a @reads_b
#include "pair.h"

pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER, b = PTHREAD_RWLOCK_INITIALIZER;

void* first(void* unused) {
  pthread_rwlock_rdlock(&a); // @reads_a
  if (BAD) at(0);
  if (BAD) at(2);
  if (!BAD) pthread_rwlock_unlock(&a);
  pthread_rwlock_wrlock(&b); // @first
  pthread_rwlock_unlock(&b);
  if (BAD) pthread_rwlock_unlock(&a);
  return unused;
}
void* second(void* unused) {
  pthread_rwlock_rdlock(&b); // @reads_b
  if (BAD) at(1);
  if (!BAD) pthread_rwlock_unlock(&b);
  pthread_rwlock_wrlock(&a); // @second
  pthread_rwlock_unlock(&a);
  if (BAD) pthread_rwlock_unlock(&b);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, first, NULL);
  pthread_create(&threads[1], NULL, second, NULL);
  pthread_join(threads[0], NULL); // @join
  pthread_join(threads[1], NULL);
  return 0;
}
