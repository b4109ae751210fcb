// Atomicity: two threads set the same two variables, each in two critical sections. In another run
// one is from the first thread and the other from the second. Nobody marked it.
// TOLD: 1 block looks as if it should be atomic
#include "pair.h"
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int width, height;
__attribute__((noinline)) void resize(int size) {
  pthread_mutex_lock(&lock);
  width = size;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  height = size;
  pthread_mutex_unlock(&lock);
}
void* first(void* unused) {
  resize(1);
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  resize(2);
  return unused;
}
int main(void) { run_both(first, second); }
