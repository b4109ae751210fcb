// Maximal models, Fig. 1(b): both writes of x write the same value, so the second thread's section may come between them. Only
// the maximal model sees that. If the first write writes another value, the section has to wait for the second one.
// EXPECT: race y @first @second
// MODELS: maximal
#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int x, y;

void* first(void* unused) {
  pthread_mutex_lock(&lock);
  x = BAD ? 1 : 5;
  pthread_mutex_unlock(&lock);
  y = 1; // @first
  pthread_mutex_lock(&lock);
  x = 1;
  pthread_mutex_unlock(&lock);
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  pthread_mutex_lock(&lock);
  if (x == 1) y = 2; // @second
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  run_both(first, second);
  return 0;
}
