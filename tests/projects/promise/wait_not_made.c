// Hangs: nobody signals. The recorded run found what it waits for, and never waited; in another one
// it waits for ever.
// TOLD: no thread waited at wait_not_made.c
#include <stdbool.h>

#include "pair.h"
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
bool ready;
void* give(void* unused) {
  pthread_mutex_lock(&lock);
  ready = true;
  pthread_mutex_unlock(&lock);
  at(0);
  return unused;
}
void* take(void* unused) {
  at(1);
  pthread_mutex_lock(&lock);
  while (!ready) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  return unused;
}
int main(void) { run_both(give, take); }
