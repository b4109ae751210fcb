// A thread is joined by one that holds a lock that it may still need.
// EXPECT: deadlock * @join @lock
#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void* child(void* unused) {
  pthread_mutex_lock(&lock); // @lock
  pthread_mutex_unlock(&lock);
  at(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, child, NULL);
  at(1);
  pthread_mutex_lock(&lock);
  if (!BAD) pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL); // @join
  if (BAD) pthread_mutex_unlock(&lock);
  return 0;
}
