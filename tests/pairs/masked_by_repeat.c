// A copy of a count hides a race on y. In the good one the count is read again at once. The trace
// has only the first of the two reads, and what the second one is for decides.
// EXPECT: race y
// MODELS: full
#include <sooth/sooth.h>

#include "pair.h"

SOOTH_LOOKS_AT_NOTHING void at(int turn);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int count, copy, y;

__attribute__((noinline)) int second_look(void) { return count; }

void* one(void* unused) {
  y = 1;
  pthread_mutex_lock(&lock);
  count++;
  copy = 7;
  pthread_mutex_unlock(&lock);
  at(0);
  return unused;
}

void* two(void* unused) {
  at(1);
  pthread_mutex_lock(&lock);
  const int seen = count;
  const int now = BAD ? 1 : second_look();
  copy = seen;
  pthread_mutex_unlock(&lock);
  if (now == 1) y = 2;
  return unused;
}

int main(void) {
  run_both(one, two);
  return y == 0;
}
