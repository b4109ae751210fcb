// longjmp out of several calls, again and again, also out of a signal handler.
// EXPECT: acquire * x100
// EXPECT: release * x100
// EXPECT: signal-enter * x1
// EXPECT-OUTPUT: 100 1
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static jmp_buf out;
static sigjmp_buf handled;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int jumps, signals;

static void deep(int n) {
  if (n == 0) longjmp(out, 1);
  deep(n - 1);
}
static void handler(int number) {
  (void)number;
  siglongjmp(handled, 1);
}

int main(void) {
  for (volatile int i = 0; i < 100; ++i) {
    if (setjmp(out) == 0) deep(i % 10);
    pthread_mutex_lock(&lock);
    ++jumps;
    pthread_mutex_unlock(&lock);
  }
  signal(SIGUSR1, handler);
  if (sigsetjmp(handled, 1) == 0) raise(SIGUSR1);
  else ++signals;
  printf("%d %d\n", jumps, signals);
  return 0;
}
