// A wait without a predicate misses its signal. Not if somebody signals again and again, for as long as the program runs.
// EXPECT: lost-wakeup condition @wait
#include "pair.h"

#include <unistd.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
int ticks;

static void tick(void) {
  pthread_mutex_lock(&mutex);
  ++ticks;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
}
void* wait_once(void* unused) {
  pthread_mutex_lock(&mutex);
  at(0);
  pthread_cond_wait(&condition, &mutex); // @wait
  pthread_mutex_unlock(&mutex);
  return unused;
}
void* ticker(void* unused) {
  at(1);
  tick();
  for (; !BAD; tick()) usleep(1000);
  return unused;
}

int main(void) {
  pthread_t waiting, ticking;
  pthread_create(&waiting, NULL, wait_once, NULL);
  pthread_create(&ticking, NULL, ticker, NULL);
  pthread_join(waiting, NULL);
  if (BAD) pthread_join(ticking, NULL);
  return 0;
}
