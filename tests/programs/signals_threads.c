// Signals hit threads in the midst of locking. Several may become one, so their number is a lower bound.
// EXPECT: signal-enter * >=5
// EXPECT: acquire * x4000
// EXPECT: release * x4000
// EXPECT-OUTPUT: 4000
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ticks, started, sent;
static int counter;

static void tick(int number) {
  (void)number;
  atomic_fetch_add(&ticks, 1);
}

static void* work(void* unused) {
  atomic_fetch_add(&started, 1);
  for (int i = 0; i < 1000; ++i) {
    pthread_mutex_lock(&lock);
    ++counter;
    pthread_mutex_unlock(&lock);
  }
  while (!atomic_load(&sent)) sched_yield();
  sched_yield(); // what is pending is handled here at the latest, not in the end of the thread, of which nothing is recorded
  return unused;
}

int main(void) {
  pthread_t threads[4];
  signal(SIGUSR1, tick);
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, work, NULL);
  while (atomic_load(&started) < 4) sched_yield();
  for (int i = 0; i < 40; ++i) pthread_kill(threads[i % 4], SIGUSR1);
  atomic_store(&sent, 1);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  while (atomic_load(&ticks) < 5) raise(SIGUSR1);
  printf("%d\n", counter);
  return 0;
}
