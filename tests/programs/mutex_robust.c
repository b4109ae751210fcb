// A robust mutex whose owner ends: the next one takes it over.
// EXPECT: acquire * x2
// EXPECT: release * x1
// EXPECT: thread-end * x2
// EXPECT-OUTPUT: taken over
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock;

static void* end_holding_it(void* unused) {
  pthread_mutex_lock(&lock);
  return unused;
}

int main(void) {
  pthread_mutexattr_t kind;
  pthread_t thread;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&lock, &kind);
  pthread_create(&thread, NULL, end_holding_it, NULL);
  pthread_join(thread, NULL);
  if (pthread_mutex_lock(&lock) == EOWNERDEAD) {
    puts("taken over");
    pthread_mutex_consistent(&lock);
  }
  pthread_mutex_unlock(&lock);
  return 0;
}
