// POSIX spin locks: one for both threads, or one each.
// EXPECT: race value @write @write
#include "pair.h"

pthread_spinlock_t locks[2];
int value;

static void add(int mine) {
  pthread_spin_lock(&locks[mine]);
  ++value; // @write
  pthread_spin_unlock(&locks[mine]);
}
void* first(void* unused) {
  add(0);
  return unused;
}
void* second(void* unused) {
  add(BAD ? 1 : 0);
  return unused;
}

int main(void) {
  pthread_spin_init(&locks[0], PTHREAD_PROCESS_PRIVATE);
  pthread_spin_init(&locks[1], PTHREAD_PROCESS_PRIVATE);
  run_both(first, second);
  return 0;
}
