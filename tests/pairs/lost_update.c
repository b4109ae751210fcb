// Two deposits: each reads the balance in one critical section and writes it in the next. The recorded run has one after the other; in
// another run both read the same balance, and one deposit is lost.
// EXPECT: atomicity *
// FLAGS: -fsooth-facts
// MODELS: full
#include <sooth/sooth.h>

#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int balance, deposits;

static void deposit(int amount) {
  SOOTH_ATOMIC("deposit");
  pthread_mutex_lock(&lock);
  const int before = balance;
  if (BAD) {
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
  }
  balance = before + amount;
  pthread_mutex_unlock(&lock);
}
static void count(void) {
  pthread_mutex_lock(&lock);
  ++deposits;
  pthread_mutex_unlock(&lock);
}
void* first(void* unused) {
  deposit(10);
  count();
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  deposit(20);
  count();
  return unused;
}

int main(void) {
  run_both(first, second);
  return 0;
}
