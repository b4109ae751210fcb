// A plug-in that was compiled with -fno-sooth-own is loaded while threads have blocks to
// themselves. All of that ends before the plug-in's code runs; from then on everything is recorded.
// LIBRARY: parts/owned_then_library_library.c
// LIBRARY-FLAGS: -fno-sooth-own
// OPTIONS: own=1:detail=1
// EXPECT: hb-release * >=2
// EXPECT: external-write * x0
// EXPECT: fork * x2
// EXPECT-OUTPUT: all right
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

enum { kThreads = 2, kWords = 512 };
typedef void fill_function(long*, size_t, long);

static fill_function* fill;
static sem_t owned, loaded;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long* common;
static int wrong;

static void check(const long* words, long value) {
  for (int i = 0; i < kWords; ++i)
    if (words[(i * 7) % kWords] != value) wrong = 1;
}

static long* use_block(void) {
  long* words = aligned_alloc(4096, kWords * sizeof *words);
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < kWords; ++i) words[(i * 5) % kWords] = round;
  return words;
}

static void* work(void* argument) {
  long* words = use_block();
  sem_post(&owned);
  sem_wait(&loaded);
  check(words, 2);
  fill(words, kWords, (long)argument);
  check(words, (long)argument);
  pthread_mutex_lock(&lock);
  fill(common, kWords, common[0] + 1);
  pthread_mutex_unlock(&lock);
  free(words);
  return NULL;
}

int main(void) {
  pthread_t threads[kThreads];
  sem_init(&owned, 0, 0);
  sem_init(&loaded, 0, 0);
  common = use_block();
  for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, work, (void*)(i + 10));
  for (int i = 0; i < kThreads; ++i) sem_wait(&owned);
  void* library = dlopen("./library.so", RTLD_NOW);
  fill = library ? (fill_function*)dlsym(library, "fill") : NULL;
  if (fill == NULL) return 1;
  for (int i = 0; i < kThreads; ++i) sem_post(&loaded);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  check(common, 2 + kThreads);
  puts(wrong ? "wrong" : "all right");
  free(common);
  return 0;
}
