// abort: dies of the same signal as without Sooth.
// EXPECT: acquire * x10
// EXPECT: release * x10
// EXPECT-EXIT: signal 6
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
  for (int i = 0; i < 10; ++i) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
  }
  abort();
}
