// A mutex is initialised once more while another thread has it: that thread's critical section is
// open to everybody.
// EXPECT: misuse mutex @init
// MAY: race
#include "pair.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int guarded;

void* first(void* unused) {
  pthread_mutex_lock(&mutex);
  guarded = 1;
  at(0);
  if (BAD) at(3);
  if (!BAD) pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, first, NULL);
  if (!BAD) pthread_join(thread, NULL);
  at(1);
  pthread_mutex_init(&mutex, NULL); // @init
  if (BAD) at(2);
  if (BAD) pthread_join(thread, NULL);
  return 0;
}
