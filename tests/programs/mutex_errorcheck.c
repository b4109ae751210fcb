// An error-checking mutex: what fails takes and gives nothing.
// EXPECT: acquire * x1
// EXPECT: acquire!failed * x1
// EXPECT: release * x1
// EXPECT: lock-destroy * x1
// EXPECT-OUTPUT: EDEADLK EPERM EBUSY
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
  pthread_mutexattr_t kind;
  pthread_mutex_t lock;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&lock, &kind);
  pthread_mutex_lock(&lock);
  const int again = pthread_mutex_lock(&lock);
  const int busy = pthread_mutex_destroy(&lock);
  pthread_mutex_unlock(&lock);
  const int twice = pthread_mutex_unlock(&lock);
  pthread_mutex_destroy(&lock);
  printf("%s %s %s\n", again == EDEADLK ? "EDEADLK" : "?", twice == EPERM ? "EPERM" : "?",
         busy == EBUSY ? "EBUSY" : "?");
  return 0;
}
