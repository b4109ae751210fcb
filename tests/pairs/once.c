// Initialisation with pthread_once, or with a flag of one's own.
// EXPECT: race value @init @use
// MAY: race
#include "pair.h"

pthread_once_t control = PTHREAD_ONCE_INIT;
int flag, value, seen[2];

void initialise(void) {
  value = 42; // @init
}
static void work(int me) {
  if (!BAD) pthread_once(&control, initialise);
  else if (!flag) {
    initialise();
    flag = 1;
  }
  seen[me] = value; // @use
}
void* first(void* unused) {
  work(0);
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  work(1);
  return unused;
}

int main(void) {
  run_both(first, second);
  return 0;
}
