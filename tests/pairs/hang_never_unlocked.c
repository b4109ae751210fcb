// A thread ends with a lock that it never gave up, and in the recorded run the next one waits for it.
// END: standstill
// EXPECT: deadlock mutex @ask @keep
// NOTE: ended without giving it up
#include "pair.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void* keeper(void* unused) {
  pthread_mutex_lock(&mutex); // @keep
  if (!BAD) pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, keeper, NULL);
  pthread_join(thread, NULL);
  pthread_mutex_lock(&mutex); // @ask
  pthread_mutex_unlock(&mutex);
  return 0;
}
