// A balance is checked in one critical section and changed in the next.
// EXPECT: atomicity *
#include <sooth/sooth.h>

#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int balance = 100;

static void withdraw(int amount) {
  SOOTH_ATOMIC("withdraw");
  pthread_mutex_lock(&lock);
  const int enough = balance >= amount;
  if (BAD) {
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
  }
  if (enough) balance -= amount;
  pthread_mutex_unlock(&lock);
}
void* first(void* unused) {
  withdraw(10);
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  pthread_mutex_lock(&lock);
  balance = 5;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  run_both(first, second);
  return 0;
}
