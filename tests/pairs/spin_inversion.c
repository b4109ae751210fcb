// Spin locks in opposite order spin for ever.
// EXPECT: deadlock * @first @second
#include "pair.h"

pthread_spinlock_t a, b;

void* first(void* unused) {
  pthread_spin_lock(&a);
  pthread_spin_lock(&b); // @first
  pthread_spin_unlock(&b);
  pthread_spin_unlock(&a);
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  pthread_spinlock_t* outer = BAD ? &b : &a;
  pthread_spinlock_t* inner = BAD ? &a : &b;
  pthread_spin_lock(outer);
  pthread_spin_lock(inner); // @second
  pthread_spin_unlock(inner);
  pthread_spin_unlock(outer);
  return unused;
}

int main(void) {
  pthread_spin_init(&a, PTHREAD_PROCESS_PRIVATE);
  pthread_spin_init(&b, PTHREAD_PROCESS_PRIVATE);
  run_both(first, second);
  return 0;
}
