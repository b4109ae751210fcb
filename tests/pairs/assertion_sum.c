// Money goes from one account to another in two critical sections. Between them some of it is
// missing, and an audit fails. In the other one, the transfer is one section.
// EXPECT: assertion savings @check
// MODELS: maximal
// NOTE: `savings` is 90 and `checking` is 0 there
#undef NDEBUG
#include <assert.h>

#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int savings = 100, checking = 0;

void* transfer(void* unused) {
  pthread_mutex_lock(&lock);
  savings -= 10;
  if (BAD) {
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
  }
  checking += 10;
  pthread_mutex_unlock(&lock);
  at(0);
  return unused;
}
void* audit(void* unused) {
  at(1);
  pthread_mutex_lock(&lock);
  const int all = savings + checking; // @check
  pthread_mutex_unlock(&lock);
  assert(all == 100);
  return unused;
}

int main(void) {
  run_both(transfer, audit);
  return 0;
}
