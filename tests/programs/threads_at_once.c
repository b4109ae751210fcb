// Four hundred threads that are all alive at the same time.
// EXPECT: fork * x400
// EXPECT: join * x400
// EXPECT: barrier-arrive * x401
// EXPECT: barrier-leave * x401
// EXPECT-OUTPUT: met
#include <pthread.h>
#include <stdio.h>

enum { kThreads = 400 };
static pthread_barrier_t all;

static void* work(void* unused) {
  pthread_barrier_wait(&all);
  return unused;
}

int main(void) {
  static pthread_t threads[kThreads];
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 256 * 1024);
  pthread_barrier_init(&all, NULL, kThreads + 1);
  for (int i = 0; i < kThreads; ++i)
    if (pthread_create(&threads[i], &small, work, NULL) != 0) return 1;
  pthread_barrier_wait(&all);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  puts("met");
  return 0;
}
