// Two threads count under a lock and by atomics, for long enough to fill several buffers; prints
// the sums.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { kRounds = 20000 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long under_lock;
static atomic_long by_atomics;

static void* count(void* unused) {
  for (int i = 0; i < kRounds; ++i) {
    pthread_mutex_lock(&lock);
    ++under_lock;
    pthread_mutex_unlock(&lock);
    atomic_fetch_add(&by_atomics, 1);
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, count, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  printf("%ld %ld\n", under_lock, atomic_load(&by_atomics));
  return 3;
}
