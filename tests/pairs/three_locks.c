// A cycle of three threads and three locks.
// EXPECT: deadlock * @inner @inner
#include "pair.h"

pthread_mutex_t locks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void both(int outer, int inner) {
  pthread_mutex_lock(&locks[outer]);
  pthread_mutex_lock(&locks[inner]); // @inner
  pthread_mutex_unlock(&locks[inner]);
  pthread_mutex_unlock(&locks[outer]);
}
void* first(void* unused) {
  both(0, 1);
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  both(1, 2);
  at(2);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  at(3);
  both(BAD ? 2 : 0, BAD ? 0 : 2);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
