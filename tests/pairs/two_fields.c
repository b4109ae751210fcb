// Two fields that belong together are written in one section, and read in two.
// EXPECT: atomicity *
#include <sooth/sooth.h>

#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int low, high, seen_low, seen_high;

void* reader(void* unused) {
  SOOTH_ATOMIC_BEGIN("read both");
  pthread_mutex_lock(&lock);
  seen_low = low;
  if (BAD) {
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
  }
  seen_high = high;
  pthread_mutex_unlock(&lock);
  SOOTH_ATOMIC_END("read both");
  at(0);
  return unused;
}
void* writer(void* unused) {
  at(1);
  pthread_mutex_lock(&lock);
  low = 1;
  high = 1;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  run_both(reader, writer);
  return 0;
}
