// _exit: no destructors, but everything is in the trace.
// EXPECT: acquire * x100
// EXPECT: release * x100
// EXPECT-EXIT: 9
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
  for (int i = 0; i < 100; ++i) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
  }
  _exit(9);
}
