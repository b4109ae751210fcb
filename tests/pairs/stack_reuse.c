// Threads that get the same stack, one after the other, share nothing; a variable of their creator is shared.
// EXPECT: race * @write @write
#include "pair.h"

static void touch(int* cell) {
  *cell = *cell + 1; // @write
}
void* work(void* argument) {
  volatile int own = 0;
  touch(BAD ? argument : (int*)&own);
  return NULL;
}

int main(void) {
  int shared = 0;
  pthread_t a, b;
  pthread_create(&a, NULL, work, &shared);
  if (!BAD) pthread_join(a, NULL);
  pthread_create(&b, NULL, work, &shared);
  pthread_join(b, NULL);
  if (BAD) pthread_join(a, NULL);
  return 0;
}
