// Timed waits whose deadline is past: the mutex is held again, but nobody signalled. One wait without the mutex fails.
// EXPECT: wait * x2
// EXPECT: wake!failed * x2
// EXPECT: wake * x0
// EXPECT: acquire * x1
// EXPECT: release * x1
// EXPECT-OUTPUT: timeout timeout EPERM
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

int main(void) {
  const struct timespec past = {1, 0};
  pthread_mutexattr_t kind;
  pthread_mutex_t lock;
  pthread_cond_t never = PTHREAD_COND_INITIALIZER;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&lock, &kind);
  pthread_mutex_lock(&lock);
  const int a = pthread_cond_timedwait(&never, &lock, &past);
  const int b = pthread_cond_clockwait(&never, &lock, CLOCK_MONOTONIC, &past);
  pthread_mutex_unlock(&lock);
  const int c = pthread_cond_wait(&never, &lock);
  printf("%s %s %s\n", a == ETIMEDOUT ? "timeout" : "?", b == ETIMEDOUT ? "timeout" : "?", c == EPERM ? "EPERM" : "?");
  return 0;
}
