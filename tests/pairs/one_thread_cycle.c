// Both orders in one thread, one after the other, are harmless; in two threads they are not.
// EXPECT: deadlock * @first @second
#include "pair.h"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void forward(void) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b); // @first
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
}
static void backward(void) {
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a); // @second
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
}
void* first(void* unused) {
  forward();
  if (!BAD) backward();
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  if (BAD) backward();
  return unused;
}

int main(void) {
  run_both(first, second);
  return 0;
}
