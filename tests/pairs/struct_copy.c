// A whole struct is assigned while one member is written.
// EXPECT: race * @copy @member
#include "pair.h"

struct point {
  long x, y, z;
} from, to;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void* copy(void* unused) {
  pthread_mutex_lock(&lock);
  to = from; // @copy
  pthread_mutex_unlock(&lock);
  at(0);
  return unused;
}
void* member(void* unused) {
  at(1);
  if (!BAD) pthread_mutex_lock(&lock);
  from.y = 3; // @member
  if (!BAD) pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  run_both(copy, member);
  return 0;
}
