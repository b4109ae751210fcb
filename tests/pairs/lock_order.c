// A race that the order of two empty critical sections hides in the recorded run.
// EXPECT: race value @first @second
#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int value;

void* first(void* unused) {
  if (BAD) value = 1; // @first
  pthread_mutex_lock(&lock);
  if (!BAD) value = 1;
  pthread_mutex_unlock(&lock);
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  pthread_mutex_lock(&lock);
  if (!BAD) value = 2;
  pthread_mutex_unlock(&lock);
  if (BAD) value = 2; // @second
  return unused;
}

int main(void) {
  run_both(first, second);
  return 0;
}
