// Phases with a barrier between them; the bad thread reads its neighbour's cell in the same phase.
// EXPECT: race * @write @read
#include "pair.h"

pthread_barrier_t phase;
int cells[2], sums[2];

static void work(int me) {
  cells[me] = me + 1;                // @write
  if (BAD) sums[me] = cells[1 - me]; // @read
  pthread_barrier_wait(&phase);
  sums[me] = cells[1 - me];
}
void* first(void* unused) {
  work(0);
  return unused;
}
void* second(void* unused) {
  work(1);
  return unused;
}

int main(void) {
  pthread_barrier_init(&phase, NULL, 2);
  run_both(first, second);
  return 0;
}
