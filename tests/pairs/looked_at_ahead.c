// A variable that is read only where a flag under the lock allows it. With optimisation, a compiler likes to read it ahead of the
// condition, which would be a race that the source does not have. The error: the source itself reads it ahead.
// EXPECT: race value @write @read
#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int ready, value, sum;

void* reader(void* unused) {
  pthread_mutex_lock(&lock);
  const int allowed = ready;
  pthread_mutex_unlock(&lock);
  if (BAD) sum = value; // @read
  if (!BAD) sum = allowed ? value : 1;
  at(0);
  return unused;
}
void* writer(void* unused) {
  at(1);
  value = 7; // @write
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  run_both(reader, writer);
  return 0;
}
