// A statistic that is kept under a lock and printed in the end hides a race. In the good one it is
// read back in the same critical section, and decides.
// EXPECT: race y
// MODELS: full
#include <sooth/sooth.h>
#include <stdio.h>

#include "pair.h"

SOOTH_LOOKS_AT_NOTHING void at(int turn);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct {
  long requests, last;
  double mean;
} statistic;
int y;

void* one(void* unused) {
  y = 1;
  pthread_mutex_lock(&lock);
  statistic.requests += 1;
  statistic.mean = statistic.mean * 0.5 + 3;
  statistic.last = statistic.requests;
  pthread_mutex_unlock(&lock);
  at(0);
  return unused;
}

void* two(void* unused) {
  at(1);
  pthread_mutex_lock(&lock);
  statistic.requests += 1;
  statistic.mean = statistic.mean * 0.5 + 3;
  statistic.last = statistic.requests;
  int write = BAD;
  if (!BAD && statistic.last == 2) write = 1;
  pthread_mutex_unlock(&lock);
  if (write) y = 2;
  return unused;
}

int main(void) {
  run_both(one, two);
  printf("%ld %g %d\n", statistic.requests, statistic.mean, y);
  return 0;
}
