// A condition variable. The signalling thread needs the mutex that main holds until it waits, so main waits once.
// EXPECT: lock-init * x1
// EXPECT: wait * x2
// EXPECT: wake * x2
// EXPECT: signal * x1
// EXPECT: broadcast * x1
// EXPECT: acquire * x4
// EXPECT: release * x4
// EXPECT: lock-destroy * x1
// EXPECT-OUTPUT: 1
// EXPECT-OUTPUT: 2
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static int value;

static void* set(void* how) {
  pthread_mutex_lock(&lock);
  ++value;
  if (how == NULL) pthread_cond_signal(&changed);
  else pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void wait_for(int wanted, void* how) {
  pthread_t thread;
  pthread_mutex_lock(&lock);
  pthread_create(&thread, NULL, set, how);
  while (value != wanted) pthread_cond_wait(&changed, &lock);
  printf("%d\n", value);
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
}

int main(void) {
  pthread_cond_init(&changed, NULL);
  wait_for(1, NULL);
  wait_for(2, &value);
  pthread_cond_destroy(&changed);
  return 0;
}
