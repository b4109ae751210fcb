// A mutex is destroyed while another thread has it. libc refuses, and the program does not look.
// EXPECT: misuse mutex @destroy
#include "pair.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int guarded;

void* first(void* unused) {
  pthread_mutex_lock(&mutex);
  guarded = 1;
  if (BAD) {
    at(0);
    at(3);
  }
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, first, NULL);
  if (BAD) at(1);
  if (!BAD) pthread_join(thread, NULL);
  pthread_mutex_destroy(&mutex); // @destroy
  if (BAD) at(2);
  if (BAD) pthread_join(thread, NULL);
  return 0;
}
