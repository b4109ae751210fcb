// A thread that is alone owns the blocks of a large object that it writes, and writes out what they
// hold before there is another thread: a write for each block instead of one for each of its lines,
// and everything that others then read is in the trace. The same after all threads were joined; and
// an atomic operation or a signal handler in such a block loses nothing. Blocks that the program
// has closed before there is another thread are not looked at.
// EXPECT: write * <=4000
// EXPECT: fork * x2
// EXPECT: atomic-rmw * x1
// EXPECT: external-write * x0
// EXPECT-OUTPUT: first: right
// EXPECT-OUTPUT: second: right
// FLAGS: -pthread
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { kBlock = 4096, kBlocks = 64, kBytes = kBlocks * kBlock };

static unsigned char *bytes, *closed;
static unsigned char round_of(int round, int i) { return (unsigned char)(i * 31 + i / kBlock + round); }

// Byte by byte, in an order that no range describes; and four bytes across each border.
static void fill(int round) {
  for (int i = 0; i < kBytes; ++i) {
    const int at = (i & ~63) | (i * 5 & 63);
    bytes[at] = round_of(round, at);
  }
  for (int at = kBlock - 2; at + 4 <= kBytes; at += kBlock) {
    unsigned char four[4];
    for (int i = 0; i < 4; ++i) four[i] = round_of(round, at + i);
    memcpy(bytes + at, four, 4);
  }
}

static void handle(int signal) {
  (void)signal;
  bytes[5 * kBlock + 100] = 77;
}

// Few bytes of each block, so that the thread does not own them in its turn.
static void* check(void* argument) {
  const int round = (int)(long)argument;
  long wrong = 0;
  for (int block = 0; block < kBlocks; ++block)
    for (int k = 0; k < 4; ++k) {
      const int at = block * kBlock + k * 1361 % kBlock;
      wrong += bytes[at] != round_of(round, at);
    }
  wrong += bytes[5 * kBlock + 100] != 77;
  wrong += bytes[7 * kBlock + 200] != (unsigned char)(round_of(round, 7 * kBlock + 200) + 1);
  return (void*)wrong;
}

static void run(const char* name, int round) {
  fill(round);
  if (round == 1) atomic_fetch_add((_Atomic unsigned char*)&bytes[7 * kBlock + 200], 1);
  else ++bytes[7 * kBlock + 200];
  raise(SIGUSR1);
  pthread_t thread;
  void* wrong = NULL;
  pthread_create(&thread, NULL, check, (void*)(long)round);
  pthread_join(thread, &wrong);
  printf("%s: %s\n", name, wrong == NULL ? "right" : "wrong");
  fflush(stdout);
}

int main(void) {
  bytes = aligned_alloc(kBlock, kBytes);
  closed = aligned_alloc(kBlock, kBytes);
  for (int i = 0; i < kBytes; ++i) closed[(i & ~63) | (i * 5 & 63)] = (unsigned char)i;
  mprotect(closed, kBytes, PROT_NONE);
  signal(SIGUSR1, handle);
  run("first", 1);
  mprotect(closed, kBytes, PROT_READ | PROT_WRITE);
  run("second", 2);
  free(closed);
  free(bytes);
  return 0;
}
