// A thread ends with a lock that it never gives up; a thread that comes later waits for ever.
// EXPECT: deadlock * @ask @keep
#include "pair.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void* first(void* unused) {
  pthread_mutex_lock(&mutex); // @ask
  pthread_mutex_unlock(&mutex);
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  pthread_mutex_lock(&mutex); // @keep
  if (!BAD) pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  run_both(first, second);
  return 0;
}
