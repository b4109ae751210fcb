// Maximal models, Fig. 1(a): the read of x keeps the two sections in their order for the happens-before models; the weak ones may
// swap them, for they only ask that the read sees the same write. Without the race both writes of y stand in the sections.
// EXPECT: race y @first @second
// MODELS: whb whb-locks maximal
#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int x, y, seen;

void* first(void* unused) {
  if (BAD) y = 1; // @first
  pthread_mutex_lock(&lock);
  if (!BAD) y = 1;
  x = 1;
  seen = x;
  pthread_mutex_unlock(&lock);
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  pthread_mutex_lock(&lock);
  x = 2;
  if (!BAD) y = 2;
  pthread_mutex_unlock(&lock);
  if (BAD) y = 2; // @second
  return unused;
}

int main(void) {
  run_both(first, second);
  return 0;
}
