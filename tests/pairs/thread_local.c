// A counter for each thread, or one for both.
// EXPECT: race counter @count @count
#include "pair.h"

#if BAD
int counter;
#else
_Thread_local int counter;
#endif

void* count(void* unused) {
  ++counter; // @count
  return unused;
}

int main(void) {
  run_both(count, count);
  return 0;
}
