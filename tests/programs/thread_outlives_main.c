// A detached thread still works on shared data when main returns.
// EXPECT: fork * x1
// EXPECT: detach * x1
// EXPECT: sem-wait * x1
// EXPECT-OUTPUT: main returns
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t started;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long counter;

static void* count(void* unused) {
  sem_post(&started);
  for (;;) {
    pthread_mutex_lock(&lock);
    ++counter;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  sem_init(&started, 0, 0);
  pthread_create(&thread, NULL, count, NULL);
  pthread_detach(thread);
  sem_wait(&started);
  puts("main returns");
  return 0;
}
