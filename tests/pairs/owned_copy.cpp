// A thread copies a counter into memory that it owns a little later, looks at the copy there, and
// writes y only if the other thread has counted before: by then nothing that it does in this memory
// is recorded. In the bad one it writes y before it takes the lock, too.
// EXPECT: race y
#include <sooth/sooth.h>

#include <cstdlib>

#include "pair.h"

extern "C" SOOTH_LOOKS_AT_NOTHING void at(int turn);

struct Box {
  long below[512]; // a block is owned if the one below it is
  long counter, numbers[511];
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long x, y;
static Box* shown;

__attribute__((noinline)) static void copy(Box* box) { box->counter = x + 1; }

__attribute__((noinline)) static void fill(long* numbers) {
  for (int round = 0; round < 4; ++round)
    for (int i = 1; i < 500; ++i) numbers[i * 7 % 500 + 1] += i;
}

// The beginning of a thread's life is recorded as it is.
static void live_long() {
  static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
  for (int i = 0; i < 5000; ++i) {
    pthread_mutex_lock(&own);
    pthread_mutex_unlock(&own);
  }
}

static void* counts(void* unused) {
  y = 1;
  pthread_mutex_lock(&mutex);
  ++x;
  pthread_mutex_unlock(&mutex);
  at(0);
  return unused;
}

static void* copies(void* unused) {
  at(1);
  if (BAD) y = 3;
  live_long();
  auto* box = static_cast<Box*>(aligned_alloc(4096, sizeof(Box)));
  pthread_mutex_lock(&mutex);
  copy(box);
  ++x;
  pthread_mutex_unlock(&mutex);
  fill(box->below);
  fill(box->numbers);
  if (box->counter == 2) y = 2;
  pthread_mutex_lock(&mutex);
  shown = box;
  pthread_mutex_unlock(&mutex);
  at(2);
  return unused;
}

static void* looks(void* unused) {
  at(3);
  pthread_mutex_lock(&mutex);
  const long seen = shown != nullptr ? shown->counter : 0;
  pthread_mutex_unlock(&mutex);
  return seen == 7 ? nullptr : unused;
}

int main() {
  pthread_t threads[3];
  pthread_create(&threads[0], nullptr, counts, nullptr);
  pthread_create(&threads[1], nullptr, copies, nullptr);
  pthread_create(&threads[2], nullptr, looks, nullptr);
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  free(shown);
  return y == 0;
}
