// A thread calls abort.
// END: crash
// EXPECT: crash * @abort
// NOTE: abort was called; signal 6
// SUPPRESSED-BY: crash:give_up
// STACK: @abort give_up worker
#include <stdlib.h>

#include "pair.h"

__attribute__((noinline)) void give_up(void) {
  if (BAD) abort(); // @abort
}
void* worker(void* unused) {
  give_up();
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  return 0;
}
