// A robust mutex that is taken over, and given up without being made consistent: nobody gets it any
// more, but everybody is told so.
// EXPECT: thread-end * x2
// EXPECT-OUTPUT: taken over, given up
// EXPECT-OUTPUT: not recoverable
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
  if (pthread_mutex_lock(&lock) == EOWNERDEAD && pthread_mutex_unlock(&lock) == 0) puts("taken over, given up");
  for (int i = 0; i < 2; ++i)
    if (pthread_mutex_lock(&lock) != ENOTRECOVERABLE) return 1;
  puts("not recoverable");
  return 0;
}
