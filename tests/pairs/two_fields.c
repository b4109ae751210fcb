// Two fields that belong together, written in two sections while they are read in one.
// EXPECT: atomicity *
#include <sooth/sooth.h>

#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int low, high, seen_low, seen_high;

void* writer(void* unused) {
  SOOTH_ATOMIC_BEGIN("update");
  pthread_mutex_lock(&lock);
  low = 1;
  if (BAD) {
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
  }
  high = 1;
  pthread_mutex_unlock(&lock);
  SOOTH_ATOMIC_END("update");
  at(0);
  return unused;
}
void* reader(void* unused) {
  at(1);
  pthread_mutex_lock(&lock);
  seen_low = low;
  seen_high = high;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  run_both(writer, reader);
  return 0;
}
