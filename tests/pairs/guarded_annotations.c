// Annotations that a program only makes where it is compiled for ThreadSanitizer, as Abseil and folly do.
// FLAGS: -fsooth-tsan-annotations
// EXPECT: race data @write @read
#include <stdatomic.h>

#include "pair.h"

#if __has_feature(thread_sanitizer) && defined(__SANITIZE_THREAD__)
void __tsan_acquire(void*);
void __tsan_release(void*);
#define ACQUIRE(p) __tsan_acquire(p)
#define RELEASE(p) __tsan_release(p)
#else
#define ACQUIRE(p) ((void)(p))
#define RELEASE(p) ((void)(p))
#endif

atomic_int flag;
int data, taken;

void* producer(void* unused) {
  data = 1; // @write
  if (!BAD) RELEASE(&flag);
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  at(0);
  return unused;
}
void* consumer(void* unused) {
  at(1);
  if (atomic_load_explicit(&flag, memory_order_relaxed) == 1) {
    if (!BAD) ACQUIRE(&flag);
    taken = data; // @read
  }
  return unused;
}

int main(void) {
  run_both(producer, consumer);
  return 0;
}
