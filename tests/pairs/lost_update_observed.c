// Two deposits: each reads the balance in one critical section and writes it in the next. In the recorded run both read the same
// balance, and one deposit is lost.
// EXPECT: atomicity *
// NOTE: in one piece
#include <sooth/sooth.h>

#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int balance;

static int look(void) {
  pthread_mutex_lock(&lock);
  const int before = balance;
  if (BAD) pthread_mutex_unlock(&lock);
  return before;
}
static void set(int after) {
  if (BAD) pthread_mutex_lock(&lock);
  balance = after;
  pthread_mutex_unlock(&lock);
}
void* first(void* unused) {
  SOOTH_ATOMIC_BEGIN("deposit");
  const int before = look();
  if (BAD) at(0);
  if (BAD) at(3);
  set(before + 10);
  SOOTH_ATOMIC_END("deposit");
  return unused;
}
void* second(void* unused) {
  if (BAD) at(1);
  SOOTH_ATOMIC_BEGIN("deposit");
  const int before = look();
  set(before + 20);
  SOOTH_ATOMIC_END("deposit");
  if (BAD) at(2);
  return unused;
}

int main(void) {
  run_both(first, second);
  return 0;
}
