// An assertion fails because of a race on what it looks at.
// END: crash
// EXPECT: crash * @assert
// EXPECT: race value @assert @write
// NOTE: assertion `value == 0` failed
// NOTE: is part of a race
// STACK: @assert check
#undef NDEBUG
#include <assert.h>

#include "pair.h"

int value;

__attribute__((noinline)) void check(void) {
  assert(value == 0); // @assert
}
void* reader(void* unused) {
  if (BAD) at(1);
  check();
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, reader, NULL);
  if (!BAD) pthread_join(thread, NULL);
  value = 1; // @write
  if (BAD) at(0);
  if (BAD) pthread_join(thread, NULL);
  return 0;
}
