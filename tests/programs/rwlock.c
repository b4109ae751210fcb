// A read-write lock in all its modes; the deadlines are in the past.
// EXPECT: lock-init * x1
// EXPECT: acquire * x4
// EXPECT: release * x4
// EXPECT: acquire-shared * x5
// EXPECT: release-shared * x5
// EXPECT: acquire!failed * x3
// EXPECT: acquire-shared!failed * x3
// EXPECT: lock-destroy * x1
// EXPECT-OUTPUT: readers refused, writers refused
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_rwlock_t lock;
static const struct timespec past = {1, 0};

static void* reader_refused(void* unused) {
  const int ok = pthread_rwlock_tryrdlock(&lock) == EBUSY && pthread_rwlock_timedrdlock(&lock, &past) == ETIMEDOUT &&
                 pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &past) == ETIMEDOUT;
  printf("%s", ok ? "readers refused, " : "? ");
  return unused;
}
static void* writer_refused(void* unused) {
  const int ok = pthread_rwlock_trywrlock(&lock) == EBUSY && pthread_rwlock_timedwrlock(&lock, &past) == ETIMEDOUT &&
                 pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &past) == ETIMEDOUT;
  printf("%s\n", ok ? "writers refused" : "?");
  return unused;
}
static void meanwhile(void* (*routine)(void*)) {
  pthread_t thread;
  pthread_create(&thread, NULL, routine, NULL);
  pthread_join(thread, NULL);
}

int main(void) {
  pthread_rwlock_init(&lock, NULL);
  pthread_rwlock_wrlock(&lock);
  meanwhile(reader_refused);
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_rdlock(&lock);
  meanwhile(writer_refused);
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_tryrdlock(&lock);
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_timedrdlock(&lock, &past);
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &past);
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_trywrlock(&lock);
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_timedwrlock(&lock, &past);
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &past);
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_destroy(&lock);
  return 0;
}
