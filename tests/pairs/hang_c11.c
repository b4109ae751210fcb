// Two mutexes of C11, taken the other way round.
// END: standstill
// EXPECT: deadlock * @first @second
#include <threads.h>

#include "pair.h"

mtx_t a, b;

int first(void* unused) {
  (void)unused;
  mtx_lock(&a);
  if (BAD) at(0);
  if (BAD) at(2);
  mtx_lock(&b); // @first
  mtx_unlock(&b);
  mtx_unlock(&a);
  return 0;
}
int second(void* unused) {
  (void)unused;
  mtx_lock(BAD ? &b : &a);
  if (BAD) at(1);
  mtx_lock(BAD ? &a : &b); // @second
  mtx_unlock(BAD ? &a : &b);
  mtx_unlock(BAD ? &b : &a);
  return 0;
}

int main(void) {
  thrd_t threads[2];
  mtx_init(&a, mtx_plain);
  mtx_init(&b, mtx_plain);
  thrd_create(&threads[0], first, NULL);
  thrd_create(&threads[1], second, NULL);
  thrd_join(threads[0], NULL);
  thrd_join(threads[1], NULL);
  return 0;
}
