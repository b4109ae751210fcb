// quick_exit: its functions still run and are recorded.
// EXPECT: acquire * x1
// EXPECT: release * x1
// EXPECT-OUTPUT: quick
// EXPECT-EXIT: 8
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void last(void) {
  pthread_mutex_lock(&lock);
  puts("quick");
  pthread_mutex_unlock(&lock);
  fflush(stdout);
}

int main(void) {
  at_quick_exit(last);
  quick_exit(8);
}
