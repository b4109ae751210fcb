// The racing access stands two functions deep, and the optimiser inlines both of them, in two places. The stacks are the same
// as without it, the two copies are one place, and functions that were inlined can be named by suppressions.
// EXPECT: race total @add
// STACK: @add Account::add deposit
// SUPPRESSED-BY: race:^deposit
#include "pair.h"

long total;
pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

struct Account {
  static inline void add(long amount) {
    total += amount; // @add
  }
};

static inline void deposit(bool safe, long amount) {
  if (safe) pthread_mutex_lock(&guard);
  Account::add(amount);
  if (safe) pthread_mutex_unlock(&guard);
}

void* first(void* unused) {
  deposit(true, 1);
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  deposit(BAD == 0, 2);
  return unused;
}

int main() {
  run_both(first, second);
  return 0;
}
