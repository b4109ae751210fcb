// A thread waits for a signal with a second lock, which the other one needs before it signals.
// EXPECT: deadlock * @lock @wait
#include "pair.h"

pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
int ready;

void* signaller(void* unused) {
  pthread_mutex_lock(&outer); // @lock
  pthread_mutex_unlock(&outer);
  at(0);
  at(3);
  pthread_mutex_lock(&inner); // free only when the other one waits
  ready = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&inner);
  return unused;
}
void* waiter(void* unused) {
  at(1);
  if (BAD) pthread_mutex_lock(&outer);
  pthread_mutex_lock(&inner);
  at(2);
  while (!ready) pthread_cond_wait(&condition, &inner); // @wait
  pthread_mutex_unlock(&inner);
  if (BAD) pthread_mutex_unlock(&outer);
  return unused;
}

int main(void) {
  run_both(signaller, waiter);
  return 0;
}
