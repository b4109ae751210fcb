// A spin lock: two threads, and a request that is refused.
// EXPECT: lock-init * x1
// EXPECT: acquire * x21
// EXPECT: acquire!failed * x1
// EXPECT: release * x21
// EXPECT: lock-destroy * x1
// EXPECT-OUTPUT: busy
// EXPECT-OUTPUT: 20
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_spinlock_t lock;
static int counter;

static void* work(void* unused) {
  for (int i = 0; i < 10; ++i) {
    pthread_spin_lock(&lock);
    ++counter;
    pthread_spin_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  pthread_spin_trylock(&lock);
  if (pthread_spin_trylock(&lock) == EBUSY) puts("busy");
  pthread_spin_unlock(&lock);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  pthread_spin_destroy(&lock);
  printf("%d\n", counter);
  return 0;
}
