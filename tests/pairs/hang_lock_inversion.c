// Two threads take two mutexes the other way round, and in the recorded run neither goes on.
// END: standstill
// EXPECT: deadlock * @first @second @join @takes_a @takes_b
// STACK: @first first
#include "pair.h"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

void* first(void* unused) {
  if (!BAD) at(0);
  pthread_mutex_lock(&a); // @takes_a
  if (BAD) at(0);
  if (BAD) at(2);
  pthread_mutex_lock(&b); // @first
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return unused;
}
void* second(void* unused) {
  if (!BAD) at(1);
  pthread_mutex_lock(BAD ? &b : &a); // @takes_b
  if (BAD) at(1);
  pthread_mutex_lock(BAD ? &a : &b); // @second
  pthread_mutex_unlock(BAD ? &a : &b);
  pthread_mutex_unlock(BAD ? &b : &a);
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
