// A spin lock is given up by the call for mutexes.
// EXPECT: misuse * @unlock
#include "pair.h"

union {
  pthread_spinlock_t spin;
  pthread_mutex_t mutex;
} lock;
int guarded;

int main(void) {
  pthread_spin_init(&lock.spin, PTHREAD_PROCESS_PRIVATE);
  pthread_spin_lock(&lock.spin);
  guarded = 1;
  if (BAD) pthread_mutex_unlock(&lock.mutex); // @unlock
  else pthread_spin_unlock(&lock.spin);
  return 0;
}
