// A thread has ended when the program exits, and nobody joined or detached it.
// EXPECT: thread-leak * @create
// SUPPRESSED-BY: thread:main
#include "pair.h"

static void* work(void* unused) { return unused; }

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL); // @create
  if (!BAD) pthread_detach(thread);
  until_alone();
  return 0;
}
