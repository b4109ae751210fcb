// Turn-taking: the data is touched outside the lock, but only by the thread whose turn it is. No race, though no lock
// is held; without the look at the turn it is one.
// EXPECT: race data @first @second
#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int turn, data;

static int my_turn(int mine) {
  pthread_mutex_lock(&lock);
  const int is = BAD || turn == mine;
  pthread_mutex_unlock(&lock);
  return is;
}
void* first(void* unused) {
  data = 1; // @first
  pthread_mutex_lock(&lock);
  turn = 1;
  pthread_mutex_unlock(&lock);
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  if (my_turn(1)) data = 2; // @second
  return unused;
}

int main(void) {
  run_both(first, second);
  return 0;
}
