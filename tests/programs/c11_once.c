// C11: call_once from three threads.
// EXPECT: once-begin * x1
// EXPECT: once-end * x1
// EXPECT: once-wait * x2
// EXPECT-OUTPUT: once
// FLAGS: -std=c11
#include <stdio.h>
#include <threads.h>

static once_flag flag = ONCE_FLAG_INIT;

static void initialise(void) { puts("once"); }
static int work(void* unused) {
  (void)unused;
  call_once(&flag, initialise);
  return 0;
}

int main(void) {
  thrd_t threads[3];
  for (int i = 0; i < 3; ++i) thrd_create(&threads[i], work, NULL);
  for (int i = 0; i < 3; ++i) thrd_join(threads[i], NULL);
  return 0;
}
