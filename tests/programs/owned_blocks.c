// Blocks of memory go from thread to thread: under locks, by creation and joining, by copying, by
// an atomic operation. What their owners do there is left out; what the next one reads is what the
// last one left, and never an external write.
// OPTIONS: own=1:detail=1
// EXPECT: hb-release * >=64
// EXPECT: hb-acquire * >=64
// EXPECT: external-write * x0
// EXPECT-OUTPUT: 64 blocks are right
// EXPECT-OUTPUT: sorted
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kThreads = 4, kBlocks = 64, kWords = 512, kRounds = 400, kItems = 20000, kDepth = 3 };

struct block {
  long words[kWords];
};

static struct block* blocks;
static pthread_mutex_t locks[kBlocks];
static int wrong;

// All words of a block have one value, which grows.
static void use(struct block* block) {
  const long before = block->words[0];
  for (int i = 0; i < kWords; ++i)
    if (block->words[(i * 7) % kWords] != before) wrong = 1;
  for (int i = 0; i < kWords; ++i) block->words[(i * 5) % kWords] = before + 1;
}

static void* work(void* argument) {
  unsigned seed = (unsigned)(long)argument * 7919 + 1;
  struct block* own = malloc(sizeof *own);
  memset(own, 0, sizeof *own);
  for (int round = 0; round < kRounds; ++round) {
    seed = seed * 1664525 + 1013904223;
    const unsigned i = seed >> 16 & (kBlocks - 1);
    pthread_mutex_lock(&locks[i]);
    use(&blocks[i]);
    if (seed & 0x100) { // by memcpy
      memcpy(own, &blocks[i], sizeof *own);
      use(own);
      memcpy(&blocks[i], own, sizeof *own);
    }
    pthread_mutex_unlock(&locks[i]);
    use(own); // in between it is nobody else's
    if (round % 64 == 63) {
      free(own);
      own = calloc(1, sizeof *own);
    }
  }
  atomic_fetch_add((_Atomic long*)&own->words[0], 1); // from now on recorded
  if (own->words[0] != own->words[1] + 1) wrong = 1;
  free(own);
  return NULL;
}

// A merge sort whose halves are sorted by other threads: blocks move by creation and joining alone.
struct part {
  int *items, *room;
  int count, depth;
};
static void* sort(void* argument) {
  const struct part* part = argument;
  if (part->count < 2) return NULL;
  const int half = part->count / 2;
  struct part left = {part->items, part->room, half, part->depth + 1};
  struct part right = {part->items + half, part->room + half, part->count - half, part->depth + 1};
  pthread_t other;
  const int split = part->depth < kDepth;
  if (split) pthread_create(&other, NULL, sort, &left);
  else sort(&left);
  sort(&right);
  if (split) pthread_join(other, NULL);
  for (int i = 0, l = 0, r = half; i < part->count; ++i)
    part->room[i] =
        r == part->count || (l < half && part->items[l] <= part->items[r]) ? part->items[l++] : part->items[r++];
  memcpy(part->items, part->room, sizeof(int) * (size_t)part->count);
  return NULL;
}

int main(void) {
  pthread_t threads[kThreads];
  blocks = aligned_alloc(4096, kBlocks * sizeof *blocks);
  for (int i = 0; i < kBlocks; ++i) {
    pthread_mutex_init(&locks[i], NULL);
    for (int k = 0; k < kWords; ++k) blocks[i].words[k] = i;
  }
  for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, work, (void*)i);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < kBlocks; ++i) use(&blocks[i]);
  printf("%d blocks are %s\n", kBlocks, wrong ? "wrong" : "right");
  fflush(stdout);

  int* items = malloc(2 * kItems * sizeof *items);
  for (int i = 0; i < kItems; ++i) items[i] = (int)((unsigned)i * 2654435761u >> 4);
  struct part all = {items, items + kItems, kItems, 0};
  sort(&all);
  for (int i = 1; i < kItems; ++i)
    if (items[i - 1] > items[i]) wrong = 1;
  puts(wrong ? "not sorted" : "sorted");
  free(items);
  free(blocks);
  return 0;
}
