// C11: condition variables.
// EXPECT: wait * x3
// EXPECT: wake * x2
// EXPECT: wake!failed * x1
// EXPECT: signal * x1
// EXPECT: broadcast * x1
// EXPECT-OUTPUT: 1 2 timeout
// FLAGS: -std=c11
#include <stdio.h>
#include <threads.h>
#include <time.h>

static mtx_t lock;
static cnd_t changed;
static int value;

static int set(void* how) {
  mtx_lock(&lock);
  ++value;
  if (how == NULL) cnd_signal(&changed);
  else cnd_broadcast(&changed);
  mtx_unlock(&lock);
  return 0;
}

static void wait_for(int wanted, void* how) {
  thrd_t thread;
  mtx_lock(&lock);
  thrd_create(&thread, set, how);
  while (value != wanted) cnd_wait(&changed, &lock);
  printf("%d ", value);
  mtx_unlock(&lock);
  thrd_join(thread, NULL);
}

int main(void) {
  const struct timespec past = {1, 0};
  mtx_init(&lock, mtx_timed);
  cnd_init(&changed);
  wait_for(1, NULL);
  wait_for(2, &value);
  mtx_lock(&lock);
  puts(cnd_timedwait(&changed, &lock, &past) == thrd_timedout ? "timeout" : "?");
  mtx_unlock(&lock);
  cnd_destroy(&changed);
  mtx_destroy(&lock);
  return 0;
}
