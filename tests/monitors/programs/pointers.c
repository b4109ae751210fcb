/* Two threads change `level` without a lock, one after the other. With -DESCAPES by a pointer that the compiler does not
   know, otherwise directly, and then no pointer leads to it: `sum` has nothing to tell. */
#include <pthread.h>
#include <stdio.h>

#include "turns.h"

static int level;
static int other_level;
static int numbers[8];
#ifdef ESCAPES
int* way = &level;
#endif

__attribute__((noinline)) int sum(const int* from, int count) {
  int all = 0;
  for (int i = 0; i < count; ++i) all += from[i];
  return all;
}

static void change(int by) {
#ifdef ESCAPES
  *way += by;
#else
  level += by;
#endif
  other_level -= by;
}

static void* second(void* argument) {
  turn(1);
  change(2);
  done();
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, second, NULL);
  turn(0);
  change(1);
  done();
  pthread_join(thread, NULL);
  for (int i = 0; i < 8; ++i) numbers[i] = i + level + other_level;
  printf("%d\n", sum(numbers, 8));
  return 0;
}
