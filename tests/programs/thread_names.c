// Names for the own and for another thread.
// EXPECT: thread-name * x3
// EXPECT-OUTPUT: main-thread worker
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void* work(void* unused) {
  pthread_mutex_lock(&gate);
  pthread_mutex_unlock(&gate);
  pthread_setname_np(pthread_self(), "worker-late");
  return unused;
}

int main(void) {
  char own[16], other[16];
  pthread_t thread;
  pthread_setname_np(pthread_self(), "main-thread");
  pthread_mutex_lock(&gate);
  pthread_create(&thread, NULL, work, NULL);
  pthread_setname_np(thread, "worker");
  pthread_getname_np(pthread_self(), own, sizeof own);
  pthread_getname_np(thread, other, sizeof other);
  pthread_mutex_unlock(&gate);
  pthread_join(thread, NULL);
  printf("%s %s\n", own, other);
  return 0;
}
