// A block that looks at y twice is not atomic, and the recorded run hides it behind updates of x, on which nothing depends.
// EXPECT: atomicity *
// FLAGS: -fsooth-facts
// MODELS: full sliced
#include <sooth/sooth.h>

#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int x, y, difference;

static int look(void) { return __atomic_load_n(&y, __ATOMIC_SEQ_CST); }

void* one(void* unused) {
  if (!BAD) pthread_mutex_lock(&lock);
  SOOTH_ATOMIC_BEGIN("look");
  const int first = look();
  const int second = look();
  SOOTH_ATOMIC_END("look");
  if (!BAD) pthread_mutex_unlock(&lock);
  difference = first - second;
  pthread_mutex_lock(&lock);
  x = x + 1;
  pthread_mutex_unlock(&lock);
  at(0);
  return unused;
}

void* two(void* unused) {
  at(1);
  pthread_mutex_lock(&lock);
  x = x + 1;
  if (!BAD) __atomic_store_n(&y, 2, __ATOMIC_SEQ_CST);
  pthread_mutex_unlock(&lock);
  if (BAD) __atomic_store_n(&y, 2, __ATOMIC_SEQ_CST);
  return unused;
}

int main(void) {
  run_both(one, two);
  return 0;
}
