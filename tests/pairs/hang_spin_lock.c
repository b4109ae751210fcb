// Two threads take two spin locks the other way round: they spin for ever.
// END: standstill
// EXPECT: deadlock * @first @second
#include "pair.h"

pthread_spinlock_t a, b;

void* first(void* unused) {
  pthread_spin_lock(&a);
  if (BAD) at(0);
  if (BAD) at(2);
  pthread_spin_lock(&b); // @first
  pthread_spin_unlock(&b);
  pthread_spin_unlock(&a);
  return unused;
}
void* second(void* unused) {
  pthread_spin_lock(BAD ? &b : &a);
  if (BAD) at(1);
  pthread_spin_lock(BAD ? &a : &b); // @second
  pthread_spin_unlock(BAD ? &a : &b);
  pthread_spin_unlock(BAD ? &b : &a);
  return unused;
}

int main(void) {
  pthread_spin_init(&a, PTHREAD_PROCESS_PRIVATE);
  pthread_spin_init(&b, PTHREAD_PROCESS_PRIVATE);
  run_both(first, second);
  return 0;
}
