// The order is inverted, but a third lock around it lets only one thread in.
// EXPECT: deadlock * @first @second
#include "pair.h"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

void* first(void* unused) {
  if (!BAD) pthread_mutex_lock(&gate);
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b); // @first
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  if (!BAD) pthread_mutex_unlock(&gate);
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  if (!BAD) pthread_mutex_lock(&gate);
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a); // @second
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  if (!BAD) pthread_mutex_unlock(&gate);
  return unused;
}

int main(void) {
  run_both(first, second);
  return 0;
}
