// C11: mutexes of all types.
// EXPECT: lock-init * x3
// EXPECT: acquire * x5
// EXPECT: acquire!failed * x2
// EXPECT: release * x5
// EXPECT: lock-destroy * x3
// EXPECT-OUTPUT: busy timeout
// FLAGS: -std=c11
#include <stdio.h>
#include <threads.h>
#include <time.h>

static mtx_t plain, timed, recursive;

static int refused(void* unused) {
  (void)unused;
  const struct timespec past = {1, 0};
  const int a = mtx_trylock(&plain);
  const int b = mtx_timedlock(&timed, &past);
  printf("%s %s\n", a == thrd_busy ? "busy" : "?", b == thrd_timedout ? "timeout" : "?");
  return 0;
}

int main(void) {
  thrd_t thread;
  mtx_init(&plain, mtx_plain);
  mtx_init(&timed, mtx_timed);
  mtx_init(&recursive, mtx_plain | mtx_recursive);
  mtx_lock(&plain);
  mtx_lock(&timed);
  thrd_create(&thread, refused, NULL);
  thrd_join(thread, NULL);
  mtx_unlock(&timed);
  mtx_unlock(&plain);
  mtx_lock(&recursive);
  mtx_lock(&recursive);
  mtx_unlock(&recursive);
  mtx_unlock(&recursive);
  if (mtx_trylock(&plain) == thrd_success) mtx_unlock(&plain);
  mtx_destroy(&plain);
  mtx_destroy(&timed);
  mtx_destroy(&recursive);
  return 0;
}
