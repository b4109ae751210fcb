// A semaphore is initialised once more while another thread may post it: the post is lost. In the
// recorded run, a lock that has nothing to do with it orders the two.
// EXPECT: race items @init @post
#include <semaphore.h>

#include "pair.h"

sem_t items;
pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
int logged;

static void log_line(void) {
  pthread_mutex_lock(&log_lock);
  logged = 1;
  pthread_mutex_unlock(&log_lock);
}

static void* produce(void* unused) {
  at(1);
  log_line();
  sem_post(&items); // @post
  return unused;
}

int main(void) {
  pthread_t thread;
  sem_init(&items, 0, 0);
  if (!BAD) sem_init(&items, 0, 0);
  pthread_create(&thread, NULL, produce, NULL);
  if (BAD) sem_init(&items, 0, 0); // @init
  log_line();
  at(0);
  pthread_join(thread, NULL);
  return 0;
}
