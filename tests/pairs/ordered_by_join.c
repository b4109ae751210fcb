// The order is inverted, but the first thread was joined before.
// EXPECT: deadlock * @first @second
#include "pair.h"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

void* first(void* unused) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b); // @first
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  at(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, first, NULL);
  at(1);
  if (!BAD) pthread_join(thread, NULL);
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a); // @second
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  if (BAD) pthread_join(thread, NULL);
  return 0;
}
