// Each thread takes a lock, but not the same one.
// EXPECT: race value @write @read
#include "pair.h"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int value, seen;

void* writer(void* unused) {
  pthread_mutex_lock(&a);
  value = 1; // @write
  pthread_mutex_unlock(&a);
  at(0);
  return unused;
}
void* reader(void* unused) {
  at(1);
  pthread_mutex_t* mine = BAD ? &b : &a;
  pthread_mutex_lock(mine);
  seen = value; // @read
  pthread_mutex_unlock(mine);
  return unused;
}

int main(void) {
  run_both(writer, reader);
  return 0;
}
