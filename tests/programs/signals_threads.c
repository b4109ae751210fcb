// Signals hit threads in the midst of locking. Several may become one, so their number is a lower bound.
// EXPECT: signal-enter * >=5
// EXPECT: acquire * x4000
// EXPECT: release * x4000
// EXPECT-OUTPUT: 4000
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ticks;
static int counter;

static void tick(int number) {
  (void)number;
  atomic_fetch_add(&ticks, 1);
}

static void* work(void* unused) {
  for (int i = 0; i < 1000; ++i) {
    pthread_mutex_lock(&lock);
    ++counter;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t threads[4];
  signal(SIGUSR1, tick);
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 40; ++i) pthread_kill(threads[i % 4], SIGUSR1);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  while (atomic_load(&ticks) < 5) raise(SIGUSR1);
  printf("%d\n", counter);
  return 0;
}
