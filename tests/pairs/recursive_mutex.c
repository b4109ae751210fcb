// A recursive mutex that is given up one level too early.
// EXPECT: race value @inner @other
#include "pair.h"

pthread_mutex_t lock;
int value;

void* first(void* unused) {
  pthread_mutex_lock(&lock);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  if (BAD) pthread_mutex_unlock(&lock);
  value = 1; // @inner
  if (!BAD) pthread_mutex_unlock(&lock);
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  pthread_mutex_lock(&lock);
  value = 2; // @other
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&lock, &attributes);
  run_both(first, second);
  return 0;
}
