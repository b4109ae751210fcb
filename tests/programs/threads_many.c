// Two thousand threads over time, a hundred at once. pthread_t values and stacks come back again and again.
// EXPECT: fork * x2000
// EXPECT: join * x2000
// EXPECT: thread-start * x2001
// EXPECT: thread-end * x2001
// EXPECT: stack-begin * >=2000
// EXPECT: acquire * x2000
// EXPECT: release * x2000
// EXPECT-OUTPUT: 2000
#include <pthread.h>
#include <stdio.h>

enum { kAtOnce = 100, kRounds = 20 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void* work(void* unused) {
  int own = 1;
  pthread_mutex_lock(&lock);
  counter += own;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  for (int round = 0; round < kRounds; ++round) {
    pthread_t threads[kAtOnce];
    for (int i = 0; i < kAtOnce; ++i)
      if (pthread_create(&threads[i], NULL, work, NULL) != 0) return 1;
    for (int i = 0; i < kAtOnce; ++i) pthread_join(threads[i], NULL);
  }
  printf("%d\n", counter);
  return 0;
}
