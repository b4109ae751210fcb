// Atomicity: the serial lost update, marked. `maximal` cannot prove it, and so it does not say that
// it has looked at everything.
#include <sooth/sooth.h>

#include "pair.h"
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int balance;
__attribute__((noinline)) void deposit(int amount) {
  SOOTH_ATOMIC("deposit");
  pthread_mutex_lock(&lock);
  const int before = balance;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  balance = before + amount;
  pthread_mutex_unlock(&lock);
}
void* first(void* unused) {
  deposit(10);
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  deposit(20);
  return unused;
}
int main(void) { run_both(first, second); }
