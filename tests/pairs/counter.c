// A counter of two threads, without and with a lock.
// EXPECT: race counter @count @count
#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int counter;

void* count(void* unused) {
  for (int i = 0; i < 3; ++i) {
    if (!BAD) pthread_mutex_lock(&lock);
    ++counter; // @count
    if (!BAD) pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  run_both(count, count);
  return 0;
}
