// A transfer takes money out in one critical section and puts it in again in the next. A reader sees the sum in between.
// EXPECT: atomicity *
#include <sooth/sooth.h>

#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int checking = 100, savings = 100, sum;

static void again(void) {
  if (!BAD) return;
  pthread_mutex_unlock(&lock);
  at(0);
  at(3);
  pthread_mutex_lock(&lock);
}
void* transfer(void* unused) {
  SOOTH_ATOMIC_BEGIN("transfer");
  pthread_mutex_lock(&lock);
  checking -= 10;
  again();
  savings += 10;
  pthread_mutex_unlock(&lock);
  SOOTH_ATOMIC_END("transfer");
  return unused;
}
void* look(void* unused) {
  if (BAD) at(1);
  pthread_mutex_lock(&lock);
  sum = checking + savings;
  pthread_mutex_unlock(&lock);
  if (BAD) at(2);
  return unused;
}

int main(void) {
  run_both(transfer, look);
  return 0;
}
