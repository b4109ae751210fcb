// A flag is set in one critical section and cleared in the next. An assertion that comes between
// them fails; the recorded run has it behind both. In the other one, both are one section: nobody
// ever sees the flag set.
// EXPECT: assertion busy @check @set
// MODELS: maximal
// NOTE: `busy` is 1 there
// SUPPRESSED-BY: assertion:busy
#undef NDEBUG
#include <assert.h>

#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int busy;

void* worker(void* unused) {
  pthread_mutex_lock(&lock);
  busy = 1; // @set
  if (BAD) {
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
  }
  busy = 0;
  pthread_mutex_unlock(&lock);
  at(0);
  return unused;
}
void* checker(void* unused) {
  at(1);
  pthread_mutex_lock(&lock);
  const int seen = busy; // @check
  pthread_mutex_unlock(&lock);
  assert(seen == 0);
  return unused;
}

int main(void) {
  run_both(worker, checker);
  return 0;
}
