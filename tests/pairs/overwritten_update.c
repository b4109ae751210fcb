// A block reads a counter and writes it again, in two critical sections. Another thread sets the counter, which no block does: in
// another run its value is overwritten by one that does not know it.
// EXPECT: atomicity counter
#include <sooth/sooth.h>

#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int counter;

void* count(void* unused) {
  SOOTH_ATOMIC_BEGIN("count");
  pthread_mutex_lock(&lock);
  const int before = counter;
  if (BAD) {
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
  }
  counter = before + 1;
  pthread_mutex_unlock(&lock);
  SOOTH_ATOMIC_END("count");
  at(0);
  return unused;
}
void* set(void* unused) {
  at(1);
  pthread_mutex_lock(&lock);
  counter = 100;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  run_both(count, set);
  return 0;
}
