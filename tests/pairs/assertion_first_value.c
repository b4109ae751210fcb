// A thread expects that another one has set up a value, and ends the program if it has not. Nothing
// makes it wait, so in another run it sees what the variable began with. In the other one it is
// created later.
// EXPECT: assertion limit @check
// MODELS: maximal
// NOTE: `limit` is 0 there, and the program calls abort
#include <stdio.h>
#include <stdlib.h>

#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int limit;

void* reader(void* unused) {
  if (BAD) at(1);
  pthread_mutex_lock(&lock);
  if (limit < 10) { // @check
    fprintf(stderr, "the limit is too small\n");
    abort();
  }
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t thread;
  if (BAD) pthread_create(&thread, NULL, reader, NULL);
  pthread_mutex_lock(&lock);
  limit = 100;
  pthread_mutex_unlock(&lock);
  if (BAD) at(0);
  if (!BAD) pthread_create(&thread, NULL, reader, NULL);
  pthread_join(thread, NULL);
  return 0;
}
