// A program whose threads are all joined is as it was before it had any: what it reads is left out, of what it writes the last
// values are told, and the next thread sees them. While one thread is not joined, everything of a long segment is kept at first.
// OPTIONS: own=0
// EXPECT: read items[...] >=2000
// EXPECT: read items[...] <=2600
// EXPECT: write steps x301
// EXPECT: fork * x3
// EXPECT: join * x3
// EXPECT: external-write * x0
// EXPECT-OUTPUT: 300 steps, 1000 2000 499500
// FLAGS: -pthread
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kItems = 1000, kSteps = 300 };

// In no order that would make a range of them.
static int place(int i) { return i * 7 % kItems; }

static volatile int steps;
static long* items;

static void* add_up(void* argument) {
  long* sum = argument;
  *sum = 0;
  for (int i = 0; i < kItems; ++i) *sum += items[place(i)];
  return NULL;
}
static void* nothing(void* unused) { return unused; }

static long sum_by_thread(void) {
  pthread_t thread;
  long* sum = malloc(sizeof *sum);
  pthread_create(&thread, NULL, add_up, sum);
  pthread_join(thread, NULL);
  const long result = *sum;
  free(sum);
  return result;
}

int main(void) {
  items = malloc(kItems * sizeof *items);
  for (int i = 0; i < kItems; ++i) items[i] = 1;
  const long first = sum_by_thread();
  steps = 0;
  for (int step = 0; step < kSteps; ++step) { // alone again
    for (int i = 0; i < kItems; ++i) items[place(i)] = items[place(i)] % 2 + 1;
    ++steps;
  }
  for (int i = 0; i < kItems; ++i) items[i] = 2;
  pthread_t idle;
  pthread_create(&idle, NULL, nothing, NULL); // two at once: only the last join leaves main alone
  const long second = sum_by_thread();
  for (int i = 0; i < kItems; ++i) items[i] = i;
  pthread_join(idle, NULL);
  long third = 0;
  for (int i = 0; i < kItems; ++i) third += items[place(i)];
  printf("%d steps, %ld %ld %ld\n", steps, first, second, third);
  free(items);
  return 0;
}
