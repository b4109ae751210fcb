// A lock and a hand-over of the program's own, told by ThreadSanitizer's annotations.
// EXPECT: lock-init * x2
// EXPECT: acquire * x21
// EXPECT: release * x21
// EXPECT: acquire-shared * x1
// EXPECT: release-shared * x1
// EXPECT: acquire!failed * x1
// EXPECT: lock-destroy * x2
// EXPECT: hb-release * x2
// EXPECT: hb-acquire * x2
// EXPECT-OUTPUT: 20 5
// PLAIN-FLAGS: -DWITHOUT
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#ifndef WITHOUT
void __tsan_acquire(void* tag);
void __tsan_release(void* tag);
void __tsan_mutex_create(void* lock, unsigned flags);
void __tsan_mutex_destroy(void* lock, unsigned flags);
void __tsan_mutex_pre_lock(void* lock, unsigned flags);
void __tsan_mutex_post_lock(void* lock, unsigned flags, int recursion);
int __tsan_mutex_pre_unlock(void* lock, unsigned flags);
void __tsan_mutex_post_unlock(void* lock, unsigned flags);
void AnnotateHappensBefore(const char* file, int line, const volatile void* tag);
void AnnotateHappensAfter(const char* file, int line, const volatile void* tag);
void AnnotateRWLockCreate(const char* file, int line, const volatile void* lock);
void AnnotateRWLockDestroy(const char* file, int line, const volatile void* lock);
void AnnotateRWLockAcquired(const char* file, int line, const volatile void* lock, long exclusive);
void AnnotateRWLockReleased(const char* file, int line, const volatile void* lock, long exclusive);
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
#define TELL(call) call
#else
#define TELL(call) ((void)0)
#endif

static atomic_flag flag = ATOMIC_FLAG_INIT;
static atomic_int handed_over;
static int counter, data, rwlock;

static void lock(void) {
  TELL(__tsan_mutex_pre_lock(&flag, 0));
  while (atomic_flag_test_and_set(&flag)) {
  }
  TELL(__tsan_mutex_post_lock(&flag, 0, 0));
}
static void unlock(void) {
  TELL(__tsan_mutex_pre_unlock(&flag, 0));
  atomic_flag_clear(&flag);
  TELL(__tsan_mutex_post_unlock(&flag, 0));
}

static void* work(void* unused) {
  for (int i = 0; i < 10; ++i) {
    lock();
    ++counter;
    unlock();
  }
  return unused;
}
static void* produce(void* unused) {
  data = 5;
  TELL(__tsan_release(&data));
  TELL(AnnotateHappensBefore(__FILE__, __LINE__, &handed_over));
  atomic_store_explicit(&handed_over, 1, memory_order_relaxed);
  return unused;
}

int main(void) {
  pthread_t a, b, c;
  TELL(__tsan_mutex_create(&flag, 0));
  pthread_create(&a, NULL, work, NULL);
  pthread_create(&b, NULL, work, NULL);
  pthread_create(&c, NULL, produce, NULL);
  while (atomic_load_explicit(&handed_over, memory_order_relaxed) == 0) {
  }
  TELL(AnnotateHappensAfter(__FILE__, __LINE__, &handed_over));
  TELL(__tsan_acquire(&data));
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  TELL(__tsan_mutex_post_lock(&flag, 1u << 4 | 1u << 5, 0));
  TELL(__tsan_mutex_destroy(&flag, 0));
  TELL(AnnotateRWLockCreate(__FILE__, __LINE__, &rwlock));
  TELL(AnnotateRWLockAcquired(__FILE__, __LINE__, &rwlock, 1));
  TELL(AnnotateRWLockReleased(__FILE__, __LINE__, &rwlock, 1));
  TELL(AnnotateRWLockAcquired(__FILE__, __LINE__, &rwlock, 0));
  TELL(AnnotateRWLockReleased(__FILE__, __LINE__, &rwlock, 0));
  TELL(AnnotateRWLockDestroy(__FILE__, __LINE__, &rwlock));
  TELL(AnnotateIgnoreReadsBegin(__FILE__, __LINE__));
  printf("%d %d\n", counter, data + rwlock);
  TELL(AnnotateIgnoreReadsEnd(__FILE__, __LINE__));
  return 0;
}
