// A thread gives up a mutex that another one has. libc lets it pass, and from then on two threads may be inside. The race on the
// other variable has nothing to do with it, and is found all the same.
// EXPECT: misuse * @unlock
// EXPECT: race unguarded
// STACK: @unlock give_up second
#include "pair.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int guarded, unguarded;

__attribute__((noinline)) void give_up(void) {
  pthread_mutex_unlock(&mutex); // @unlock
}
void* first(void* unused) {
  pthread_mutex_lock(&mutex);
  guarded = 1;
  if (!BAD) pthread_mutex_unlock(&mutex);
  if (BAD) unguarded = 1;
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  if (BAD) unguarded = 2;
  if (!BAD) pthread_mutex_lock(&mutex);
  give_up();
  return unused;
}

int main(void) {
  run_both(first, second);
  return 0;
}
