// Two threads count under a lock. The count, on which nothing depends, hides the race on y before
// and behind it.
// EXPECT: race y @first @second
// MODELS: full
#include "pair.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x;
int y;

void* one(void* unused) {
  y = 1; // @first
  pthread_mutex_lock(&lock);
  x++;
  pthread_mutex_unlock(&lock);
  at(0);
  return unused;
}

void* two(void* unused) {
  at(1);
  pthread_mutex_lock(&lock);
  x++;
  const int both = BAD || x == 2; // in the good one, a branch depends on it
  pthread_mutex_unlock(&lock);
  if (both) y = 2; // @second
  return unused;
}

int main(void) {
  run_both(one, two);
  return y == 0;
}
