// Atomic operations in inline assembly that tell by a flag what they found, and those whose address
// is in a register. The bad one only looks as if it took the lock.
// EXPECT: race data
#include "pair.h"

int locked, data, count = 2;
long bits;

static int try_lock(int* at) {
  unsigned char done = 1;
#if defined(__x86_64__)
  int expected = 0;
  __asm__ volatile("lock; cmpxchgl %3, (%2)\n\tsete %0"
                   : "=q"(done), "+a"(expected)
                   : "r"(at), "r"(1)
                   : "memory", "cc");
#endif
  return done;
}
static void unlock(int* at) {
#if defined(__x86_64__)
  __asm__ volatile("lock; decl (%0)" : : "r"(at) : "memory", "cc");
#endif
}
static int is_last(int* at) {
  _Bool last = 0;
#if defined(__x86_64__)
  __asm__ volatile("lock decl %0" : "+m"(*at), "=@ccz"(last) : : "memory");
#endif
  return last;
}
static int set_bit(long* at) {
  _Bool was = 0;
#if defined(__x86_64__)
  __asm__ volatile("lock btsq $3, %0" : "+m"(*at), "=@ccc"(was) : : "memory");
#endif
  return was;
}

void* work(void* unused) {
  if (!BAD)
    while (!try_lock(&locked)) {
    }
  ++data;
  if (!BAD) unlock(&locked);
#if defined(__x86_64__)
  __asm__ volatile("lock; addl $0, 0(%%rsp)" : : : "memory", "cc");
#endif
  if (is_last(&count)) set_bit(&bits);
  return unused;
}

int main(void) {
  run_both(work, work);
  return count == 0 && bits == 8 && set_bit(&bits) && locked == 0 ? 0 : 1;
}
