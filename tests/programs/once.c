// Four threads initialise one thing; then a second thing is initialised within the first one's routine.
// EXPECT: once-begin * x3
// EXPECT: once-end * x3
// EXPECT: once-wait * x3
// EXPECT-OUTPUT: initialised
// EXPECT-OUTPUT: outer, inner, 7
#include <pthread.h>
#include <stdio.h>

static pthread_once_t control = PTHREAD_ONCE_INIT, outer_control = PTHREAD_ONCE_INIT, inner_control = PTHREAD_ONCE_INIT;
static int value;

static void initialise(void) { puts("initialised"); }
static void inner(void) { printf("inner, "); }
static void outer(void) {
  printf("outer, ");
  pthread_once(&inner_control, inner);
  value = 7;
}
static void* work(void* unused) {
  pthread_once(&control, initialise);
  return unused;
}

int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  pthread_once(&outer_control, outer);
  printf("%d\n", value);
  return 0;
}
