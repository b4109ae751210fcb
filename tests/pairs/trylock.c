// A try-lock that fails; a thread that goes on regardless races.
// EXPECT: race value @owner @other
#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int value;

void* owner(void* unused) {
  pthread_mutex_lock(&lock);
  at(0);
  at(3);
  value = 1; // @owner
  pthread_mutex_unlock(&lock);
  return unused;
}
void* other(void* unused) {
  at(1);
  const int got = pthread_mutex_trylock(&lock) == 0;
  if (got || BAD) value = 2; // @other
  if (got) pthread_mutex_unlock(&lock);
  at(2);
  return unused;
}

int main(void) {
  run_both(owner, other);
  return 0;
}
