// A thread's result, read before or after it was joined.
// EXPECT: race result @write @read
#include "pair.h"

int result, seen;

void* child(void* unused) {
  result = 1; // @write
  at(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, child, NULL);
  at(1);
  if (!BAD) pthread_join(thread, NULL);
  seen = result; // @read
  if (BAD) pthread_join(thread, NULL);
  return 0;
}
