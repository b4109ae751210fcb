// A mutex is initialised after the thread that uses it was created: the thread may come first.
// EXPECT: race lock @init @lock
// SUPPRESSED-BY: race:count
#include "pair.h"

pthread_mutex_t lock;
int counted;

static void* count(void* unused) {
  at(1);
  pthread_mutex_lock(&lock); // @lock
  counted = 1;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t thread;
  if (!BAD) pthread_mutex_init(&lock, NULL);
  pthread_create(&thread, NULL, count, NULL);
  if (BAD) pthread_mutex_init(&lock, NULL); // @init
  at(0);
  pthread_join(thread, NULL);
  return 0;
}
