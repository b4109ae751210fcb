// Each thread notes in memory of its own when it came by. Only the clock is shared, and it hides a
// race on y. The trace has no store to the notes; in the good one the thread looks at its own again
// and decides by it. The C library sees to a file of the program's, and looks at no memory.
// EXPECT: race y
// MODELS: full
#include <sooth/sooth.h>
#include <stdio.h>
#include <unistd.h>

#include "pair.h"

SOOTH_LOOKS_AT_NOTHING void at(int turn);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
long ticks;
struct Stamp {
  _Alignas(64) long came;
} stamps[2];
int y;

__attribute__((noinline)) void come(struct Stamp* stamp) {
  pthread_mutex_lock(&lock);
  const long now = ++ticks;
  pthread_mutex_unlock(&lock);
  stamp->came = now;
}

__attribute__((noinline)) long look(const struct Stamp* stamp) { return BAD ? 2 : stamp->came; }

void* one(void* unused) {
  y = 1;
  come(&stamps[0]);
  at(0);
  return unused;
}

void* two(void* unused) {
  at(1);
  come(&stamps[1]);
  if (look(&stamps[1]) == 2) y = 2;
  return unused;
}

int main(void) {
  if (ftruncate(fileno(tmpfile()), 9) != 0) return 2;
  run_both(one, two);
  printf("%ld %ld %d\n", stamps[0].came, stamps[1].came, y);
  return 0;
}
