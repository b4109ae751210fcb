// Which element is written depends on what another thread has published, or does not.
// EXPECT: race table[1] @publish @use
// FLAGS: -fsooth-facts
// MODELS: full sliced
#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int next, last, table[4];

void* one(void* unused) {
  table[1] = 1; // @publish
  pthread_mutex_lock(&lock);
  next = 1;
  pthread_mutex_unlock(&lock);
  at(0);
  return unused;
}

void* two(void* unused) {
  at(1);
  pthread_mutex_lock(&lock);
  int index = next;
  last = index;
  pthread_mutex_unlock(&lock);
  table[BAD ? 1 : index & 3] = 2; // @use
  return unused;
}

int main(void) {
  run_both(one, two);
  return 0;
}
