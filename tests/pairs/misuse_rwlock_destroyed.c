// A read-write lock is used after it was destroyed. An assignment would have initialised it again.
// EXPECT: use-after-free lock @use @destroy
#include "pair.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int guarded;

int main(void) {
  pthread_rwlock_destroy(&lock); // @destroy
  if (!BAD) lock = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
  pthread_rwlock_wrlock(&lock); // @use
  guarded = 1;
  pthread_rwlock_unlock(&lock); // @use
  return 0;
}
