// A recursive mutex: each level is an event; the unlock by a stranger fails and is none.
// EXPECT: acquire * x4
// EXPECT: release * x4
// EXPECT-OUTPUT: stranger: EPERM
// EXPECT-OUTPUT: done
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock;

static void descend(int depth) {
  pthread_mutex_lock(&lock);
  if (depth > 1) descend(depth - 1);
  pthread_mutex_unlock(&lock);
}

static void* stranger(void* unused) {
  if (pthread_mutex_unlock(&lock) == EPERM) puts("stranger: EPERM");
  return unused;
}

int main(void) {
  pthread_mutexattr_t kind;
  pthread_t thread;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&lock, &kind);
  descend(3);
  pthread_mutex_lock(&lock);
  pthread_create(&thread, NULL, stranger, NULL);
  pthread_join(thread, NULL);
  pthread_mutex_unlock(&lock);
  puts("done");
  return 0;
}
