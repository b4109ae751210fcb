// A mutex is locked after it was destroyed. libc refuses, and the program does not look.
// EXPECT: misuse mutex @lock
#include "pair.h"

pthread_mutex_t mutex;
int guarded;

static void* set(void* unused) {
  pthread_mutex_lock(&mutex); // @lock
  guarded = 1;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_mutex_init(&mutex, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, set, NULL);
  pthread_join(thread, NULL);
  pthread_mutex_destroy(&mutex);
  if (!BAD) mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  set(NULL);
  return 0;
}
