// Atomicity: money goes from one account to another in two critical sections. Another thread adds
// both up in one. Nobody marked the transfer.
// TOLD: 1 block looks as if it should be atomic
#include "pair.h"
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int savings = 100, checking;
__attribute__((noinline)) void transfer(int amount) {
  pthread_mutex_lock(&lock);
  savings -= amount;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  checking += amount;
  pthread_mutex_unlock(&lock);
}
void* work(void* unused) {
  transfer(10);
  at(0);
  return unused;
}
void* look(void* unused) {
  at(1);
  pthread_mutex_lock(&lock);
  const int all = savings + checking;
  pthread_mutex_unlock(&lock);
  return all == 100 ? unused : NULL;
}
int main(void) { run_both(work, look); }
