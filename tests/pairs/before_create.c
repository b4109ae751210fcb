// What is written before a thread is created, it may read; what is written after, not.
// EXPECT: race value @write @read
#include "pair.h"

int value, seen;

void* child(void* unused) {
  seen = value; // @read
  return unused;
}

int main(void) {
  pthread_t thread;
  if (!BAD) value = 1;
  pthread_create(&thread, NULL, child, NULL);
  if (BAD) value = 1; // @write
  pthread_join(thread, NULL);
  return 0;
}
