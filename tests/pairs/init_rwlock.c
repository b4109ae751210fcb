// A read-write lock is initialised by one thread and taken by another. In the recorded run, a lock
// that has nothing to do with it orders the two.
// EXPECT: race lock @init @take
#include "pair.h"

pthread_rwlock_t lock;
pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
int logged, guarded;

static void log_line(void) {
  pthread_mutex_lock(&log_lock);
  logged = 1;
  pthread_mutex_unlock(&log_lock);
}

static void* first(void* unused) {
  if (BAD) pthread_rwlock_init(&lock, NULL); // @init
  log_line();
  at(0);
  return unused;
}

static void* second(void* unused) {
  at(1);
  log_line();
  pthread_rwlock_wrlock(&lock); // @take
  guarded = 1;
  pthread_rwlock_unlock(&lock);
  return unused;
}

int main(void) {
  if (!BAD) pthread_rwlock_init(&lock, NULL);
  run_both(first, second);
  return 0;
}
