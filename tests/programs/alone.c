// Before the first thread is created, nobody can come in between: after the first events only last values are told. What
// threads then read is there, and so is every write of a global. After fork() a child is alone again.
// EXPECT: write steps x602
// EXPECT: fork * x2
// EXPECT: join * x2
// EXPECT: external-write * x0
// EXPECT-OUTPUT: child: 300 steps, sum 1498500
// EXPECT-OUTPUT: parent: 300 steps, sum 1498500
// EXPECT-TRACES: 2
// FLAGS: -pthread
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kItems = 1000, kSteps = 300 };

struct item {
  char letter;
  short half;
  int whole;
  long number;
};

static volatile int steps;

static void* add_up(void* argument) {
  const struct item* items = argument;
  long* sum = malloc(sizeof *sum);
  *sum = 0;
  for (int i = 0; i < kItems; ++i) *sum += items[i].letter + items[i].half + items[i].whole + items[i].number;
  return sum;
}

static void run(const char* who) {
  struct item* items = calloc(kItems, sizeof *items);
  struct item* other = malloc(kItems * sizeof *items);
  steps = 0;
  for (int step = 0; step < kSteps; ++step) {
    for (int i = 0; i < kItems; ++i) {
      struct item* item = &items[(i * 7) % kItems];
      item->letter = (char)(step % 2);
      item->half = (short)(item->half + item->letter);
      if (i % 3 == 0) item->whole = step;
    }
    ++steps;
  }
  memcpy(other, items, kItems * sizeof *items);
  for (int i = 0; i < kItems; ++i) {
    other[i].letter = 0;
    other[i].half = 0;
    other[i].whole = i;
    other[i].number = 999;
  }
  pthread_t thread;
  void* sum = NULL;
  pthread_create(&thread, NULL, add_up, other);
  pthread_join(thread, &sum);
  printf("%s: %d steps, sum %ld\n", who, steps, *(long*)sum);
  fflush(stdout);
  free(sum);
  free(items);
  free(other);
}

int main(void) {
  const pid_t child = fork();
  if (child == 0) {
    run("child");
    return 0;
  }
  int status = 1;
  if (waitpid(child, &status, 0) != child || status != 0) return 1;
  run("parent");
  return 0;
}
