// Every way to join, and a try that comes too early.
// EXPECT: fork * x4
// EXPECT: join * x4
// EXPECT: join!failed * x2
// EXPECT: thread-start * x5
// EXPECT: thread-end * x5
// EXPECT-OUTPUT: busy timeout
// EXPECT-OUTPUT: 0 0 0 0
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void* pass_gate(void* unused) {
  pthread_mutex_lock(&gate);
  pthread_mutex_unlock(&gate);
  return unused;
}

int main(void) {
  const struct timespec past = {1, 0};
  const struct timespec future = {1L << 40, 0};
  pthread_t threads[4];
  pthread_mutex_lock(&gate);
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, pass_gate, NULL);
  const int busy = pthread_tryjoin_np(threads[0], NULL);
  const int late = pthread_timedjoin_np(threads[0], NULL, &past);
  printf("%s %s\n", busy == EBUSY ? "busy" : "?", late == ETIMEDOUT ? "timeout" : "?");
  pthread_mutex_unlock(&gate);
  const int a = pthread_join(threads[0], NULL);
  const int b = pthread_timedjoin_np(threads[1], NULL, &future);
  const int c = pthread_clockjoin_np(threads[2], NULL, CLOCK_MONOTONIC, &future);
  const int d = pthread_join(threads[3], NULL);
  printf("%d %d %d %d\n", a, b, c, d);
  return 0;
}
