// A wait that does not look whether the signal came already.
// EXPECT: lost-wakeup * @wait
#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
int waiting, set;

void* waiter(void* unused) {
  pthread_mutex_lock(&lock);
  at(0);
  if (BAD) pthread_cond_wait(&ready, &lock); // @wait
  while (!BAD && !set) pthread_cond_wait(&ready, &lock);
  pthread_mutex_unlock(&lock);
  return unused;
}
void* sender(void* unused) {
  at(1);
  pthread_mutex_lock(&lock);
  set = 1;
  pthread_cond_signal(&ready);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  run_both(waiter, sender);
  return 0;
}
