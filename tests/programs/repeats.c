// Long stretches without synchronisation: most accesses repeat and are left out, and yet each thread's last values, which
// others read later, are in the trace. Sizes are mixed, so that granules are seen in parts.
// EXPECT: fork * x4
// EXPECT: join * x4
// EXPECT: external-write * x0
// EXPECT-OUTPUT: 4096 sums are right
// FLAGS: -pthread
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kThreads = 4, kItems = 1024, kRounds = 300 };

struct item {
  char letter;
  short half;
  int whole;
  long sum;
};

static struct item* items[kThreads];

static void* work(void* argument) {
  struct item* mine = argument;
  for (int round = 1; round <= kRounds; ++round) {
    for (int i = 0; i < kItems; ++i) {
      struct item* item = &mine[(i * 7) % kItems];
      item->letter = (char)('a' + round % 26);
      item->half = (short)(item->half + 1);
      item->whole += item->half;
      item->sum += item->whole + item->letter;
    }
    if (round % 100 == 0) memmove(mine, mine + 1, sizeof *mine);
  }
  return argument;
}

int main(void) {
  pthread_t threads[kThreads];
  int right = 0;
  for (int t = 0; t < kThreads; ++t) items[t] = calloc(kItems, sizeof *items[t]);
  for (int t = 0; t < kThreads; ++t) pthread_create(&threads[t], NULL, work, items[t]);
  for (int t = 0; t < kThreads; ++t) pthread_join(threads[t], NULL);
  for (int t = 0; t < kThreads; ++t)
    for (int i = 0; i < kItems; ++i) right += items[t][i].half > 0 && items[t][i].sum == items[0][i].sum;
  printf("%d sums are right\n", right);
  for (int t = 0; t < kThreads; ++t) free(items[t]);
  return 0;
}
