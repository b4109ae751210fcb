// Four threads meet three times.
// EXPECT: barrier-init * x1
// EXPECT: barrier-arrive * x12
// EXPECT: barrier-leave * x12
// EXPECT: barrier-destroy * x1
// EXPECT-OUTPUT: 3 serial threads, sum 24
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t meeting;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int cells[4];
static int serial, sum;

static void* work(void* cell) {
  for (int round = 0; round < 3; ++round) {
    *(int*)cell = round + 1;
    if (pthread_barrier_wait(&meeting) == PTHREAD_BARRIER_SERIAL_THREAD) {
      pthread_mutex_lock(&lock);
      ++serial;
      pthread_mutex_unlock(&lock);
    }
  }
  pthread_mutex_lock(&lock);
  sum += *(int*)cell * 2;
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t threads[4];
  pthread_barrier_init(&meeting, NULL, 4);
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, work, &cells[i]);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&meeting);
  printf("%d serial threads, sum %d\n", serial, sum);
  return 0;
}
