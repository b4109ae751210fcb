// Atomics that one thread has to itself for a long time, and others take from it: in turns, and at
// any moment. An update that overlapped another thread's, or that has a wrong number, leaves no
// legal order of the values.
// EXPECT: fork * x3
// EXPECT: join * x3
// EXPECT: atomic-rmw * x66080
// EXPECT: external-write * x0
// EXPECT-OUTPUT: 8000 in turns, 58000 at any moment
// FLAGS: -pthread
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

enum { kThreads = 3, kRounds = 40, kInARow = 100, kOwn = 20000, kVisit = 20, kWords = 8 };

static atomic_int turn;
static atomic_long passed_on;
// Each on a line of its own.
static struct {
  _Alignas(64) atomic_long value;
} words[kWords];

static void in_turns(int self) {
  for (int round = 0; round < kRounds; ++round) {
    while (atomic_load_explicit(&turn, memory_order_acquire) % 2 != self) sched_yield();
    for (int i = 0; i < kInARow; ++i) atomic_fetch_add(&passed_on, 1);
    atomic_fetch_add_explicit(&turn, 1, memory_order_release);
  }
}

// Adds to one word for a while, then to the next, and now and then to another thread's.
static void* work(void* argument) {
  const int self = *(int*)argument;
  if (self < 2) in_turns(self);
  for (int i = 0; i < kOwn - (self == 2) * kOwn / 10; ++i) {
    const int other = (self + 3 + i / 1000) % kWords;
    const int own = (self + i / (kOwn / kWords)) % kWords;
    atomic_fetch_add_explicit(&words[i % kVisit == 0 ? other : own].value, 1, memory_order_relaxed);
  }
  return argument;
}

int main(void) {
  pthread_t threads[kThreads];
  int numbers[kThreads] = {0, 1, 2};
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, work, &numbers[i]);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  long sum = 0;
  for (int i = 0; i < kWords; ++i) sum += atomic_load(&words[i].value);
  printf("%ld in turns, %ld at any moment\n", atomic_load(&passed_on), sum);
  return 0;
}
