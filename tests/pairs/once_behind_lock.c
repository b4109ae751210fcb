// An initialiser needs the lock with which another thread waits for it.
// EXPECT: deadlock * @lock @once
#include "pair.h"

pthread_once_t control = PTHREAD_ONCE_INIT;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void initialise(void) {
  pthread_mutex_lock(&mutex); // @lock
  pthread_mutex_unlock(&mutex);
}
void* first(void* unused) {
  pthread_once(&control, initialise);
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  if (BAD) pthread_mutex_lock(&mutex);
  pthread_once(&control, initialise); // @once
  if (BAD) pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  run_both(first, second);
  return 0;
}
