// Threads that synchronise often own their stacks all the same, though no segment is long. What
// another thread then reads there is what the owner left, and never an external write; and the
// other way round.
// EXPECT: write * <=20000
// EXPECT: read * <=40000
// EXPECT: hb-release * >=1
// EXPECT: acquire * >=4000
// EXPECT: external-write * x0
// EXPECT-OUTPUT: 2000 rounds each, all right
// FLAGS: -pthread
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

enum { kRounds = 2000, kWords = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t lent, returned;
static long* common;
static long rounds;
static int wrong;

__attribute__((noinline)) static void fill(long* words, long value) {
  for (int i = 0; i < kWords; ++i) words[(i * 37 + value) % kWords] = value + i;
}
__attribute__((noinline)) static long sum(const long* words) {
  long out = 0;
  for (int i = 0; i < kWords; ++i) out += words[(i * 29 + out) % kWords];
  return out;
}

static void work(long* words) {
  for (long round = 0; round < kRounds; ++round) {
    pthread_mutex_lock(&lock);
    ++rounds;
    pthread_mutex_unlock(&lock);
    fill(words, round);
    if (sum(words) < 0) wrong = 1;
  }
}

static void* lend(void* argument) {
  long words[kWords];
  work(words);
  for (int i = 0; i < kWords; ++i) words[(i * 5) % kWords] = 7;
  common = words;
  sem_post(&lent);
  sem_wait(&returned);
  for (int i = 0; i < kWords; ++i)
    if (words[(i * 3) % kWords] != 8) wrong = 1;
  return argument;
}

static void* borrow(void* argument) {
  long words[kWords];
  work(words);
  sem_wait(&lent);
  for (int i = 0; i < kWords; ++i) common[(i * 11) % kWords] += 1;
  sem_post(&returned);
  return argument;
}

int main(void) {
  pthread_t threads[2];
  sem_init(&lent, 0, 0);
  sem_init(&returned, 0, 0);
  pthread_create(&threads[0], NULL, lend, NULL);
  pthread_create(&threads[1], NULL, borrow, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  printf("%ld rounds each, %s\n", rounds / 2, wrong ? "wrong" : "all right");
  return 0;
}
