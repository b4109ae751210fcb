// A thread is joined by somebody who has the lock that it needs to end.
// END: standstill
// EXPECT: deadlock * @ask @join @keep
#include "pair.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void* worker(void* unused) {
  pthread_mutex_lock(&mutex); // @ask
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_mutex_lock(&mutex); // @keep
  pthread_create(&thread, NULL, worker, NULL);
  if (!BAD) pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL); // @join
  if (BAD) pthread_mutex_unlock(&mutex);
  return 0;
}
