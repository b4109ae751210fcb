// Two locks, taken in opposite order; nothing happened, because one thread was done before the other began.
// EXPECT: deadlock * @first @second
#include "pair.h"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

void* first(void* unused) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b); // @first
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  pthread_mutex_t* outer = BAD ? &b : &a;
  pthread_mutex_t* inner = BAD ? &a : &b;
  pthread_mutex_lock(outer);
  pthread_mutex_lock(inner); // @second
  pthread_mutex_unlock(inner);
  pthread_mutex_unlock(outer);
  return unused;
}

int main(void) {
  run_both(first, second);
  return 0;
}
