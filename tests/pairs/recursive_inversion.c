// Recursive locks: taking one again does not block; taking the other one does.
// EXPECT: deadlock * @first @second
#include "pair.h"

pthread_mutex_t a, b;

void* first(void* unused) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b); // @first
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&a);
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  if (!BAD) pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a); // @second
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  if (!BAD) pthread_mutex_unlock(&a);
  return unused;
}

int main(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&a, &attributes);
  pthread_mutex_init(&b, &attributes);
  run_both(first, second);
  return 0;
}
