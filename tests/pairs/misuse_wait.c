// A thread waits with a mutex that it does not have.
// EXPECT: misuse * @wait
#include <time.h>

#include "pair.h"

pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER, wrong = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

int main(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  pthread_mutex_lock(&right);
  pthread_cond_timedwait(&condition, BAD ? &wrong : &right, &now); // @wait
  if (!BAD) pthread_mutex_unlock(&right);
  return 0;
}
