// Requests that do not block, or only for a time. The deadlines are in the past, so nothing depends on time.
// EXPECT: acquire * x4
// EXPECT: acquire!failed * x3
// EXPECT: release * x4
// EXPECT-OUTPUT: busy timeout timeout
// EXPECT-OUTPUT: 0 0 0
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct timespec past = {1, 0};

static const char* name(int error) { return error == EBUSY ? "busy" : error == ETIMEDOUT ? "timeout" : "?"; }

static void* refused(void* unused) {
  const int a = pthread_mutex_trylock(&lock);
  const int b = pthread_mutex_timedlock(&lock, &past);
  const int c = pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &past);
  printf("%s %s %s\n", name(a), name(b), name(c));
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_mutex_lock(&lock);
  pthread_create(&thread, NULL, refused, NULL);
  pthread_join(thread, NULL);
  pthread_mutex_unlock(&lock);
  const int a = pthread_mutex_trylock(&lock);
  pthread_mutex_unlock(&lock);
  const int b = pthread_mutex_timedlock(&lock, &past);
  pthread_mutex_unlock(&lock);
  const int c = pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &past);
  pthread_mutex_unlock(&lock);
  printf("%d %d %d\n", a, b, c);
  return 0;
}
