// A plain mutex: two threads take it ten times each.
// EXPECT: lock-init * x1
// EXPECT: acquire * x20
// EXPECT: release * x20
// EXPECT: lock-destroy * x1
// EXPECT: fork * x2
// EXPECT: join * x2
// EXPECT: thread-start * x3
// EXPECT-OUTPUT: 20
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock;
static int counter;

static void* work(void* unused) {
  for (int i = 0; i < 10; ++i) {
    pthread_mutex_lock(&lock);
    ++counter;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_mutex_init(&lock, NULL);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  pthread_mutex_destroy(&lock);
  printf("%d\n", counter);
  return 0;
}
