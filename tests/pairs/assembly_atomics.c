// Counters and locks as headers have them, in inline assembly. What they are is known, so what they order and what they do not is.
// EXPECT: race data
#include "pair.h"

int locked, data, count;
long total;

#if defined(__x86_64__)
static int exchange(int* at, int value) {
  __asm__ volatile("xchgl %0, %1" : "+r"(value), "+m"(*at) : : "memory");
  return value;
}
static int compare_exchange(int* at, int expected, int desired) {
  int found;
  __asm__ volatile("lock; cmpxchgl %2, %1" : "=a"(found), "+m"(*at) : "r"(desired), "0"(expected) : "memory");
  return found;
}
static int fetch_add(int* at, int value) {
  __asm__ volatile("lock\n\txaddl %0, %1" : "+r"(value), "+m"(*at) : : "memory", "cc");
  return value;
}
static void add(long* at, long value) {
  __asm__ volatile("lock addq %1, %0" : "+m"(*at) : "er"(value) : "memory", "cc");
}
static void store(int* at, int value) { __asm__ volatile("movl %1, %0" : "=m"(*at) : "ri"(value) : "memory"); }
static int load(int* at) {
  int value;
  __asm__ volatile("movl %1, %0" : "=r"(value) : "m"(*at) : "memory");
  return value;
}
#endif

static void lock(void) {
#if defined(__x86_64__)
  while (load(&locked) != 0 || compare_exchange(&locked, 0, 1) != 0) __asm__ volatile("pause" : : : "memory");
#endif
}
static void unlock(void) { store(&locked, 0); }

void* work(void* unused) {
  for (int i = 0; i < 3; ++i) {
    if (!BAD) lock();
    ++data;
    if (!BAD) unlock();
    fetch_add(&count, 1);
    add(&total, 2);
  }
  return unused;
}

int main(void) {
  run_both(work, work);
  exchange(&count, count - 6); // as many as were added
  return count == 0 && total == 12 ? 0 : 1;
}
