// A one-time initialisation that needs itself.
// END: standstill
// EXPECT: deadlock control @again
#include "pair.h"

pthread_once_t control = PTHREAD_ONCE_INIT;
int done;

void initialise(void);
__attribute__((noinline)) void use(void) {
  pthread_once(&control, initialise); // @again
}
void initialise(void) {
  if (BAD) use();
  done = 1;
}

int main(void) {
  use();
  return done - 1;
}
