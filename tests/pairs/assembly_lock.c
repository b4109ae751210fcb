// A lock that is made of inline assembly which is not known (two instructions at once): nothing is said about such a program. Without the
// lock it has a race.
// EXPECT: race data
#include "pair.h"

int locked, data;

static void lock(void) {
  if (BAD) return;
#if defined(__x86_64__)
  for (int taken = 1; taken != 0;)
    __asm__ volatile("nop\n\tmfence\n\txchgl %0, %1" : "+r"(taken), "+m"(locked) : : "memory");
#endif
}
static void unlock(void) {
  if (BAD) return;
#if defined(__x86_64__)
  __asm__ volatile("movl $0, %0" : "=m"(locked) : : "memory");
#endif
}
void* work(void* unused) {
  for (int i = 0; i < 5; ++i) {
    lock();
    ++data;
    unlock();
    __asm__ volatile("pause" : : : "memory"); // this one is harmless
  }
  return unused;
}

int main(void) {
  run_both(work, work);
  return 0;
}
