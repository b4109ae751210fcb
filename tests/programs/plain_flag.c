// Threads that wait for a plain flag in a loop: accesses that race, whose order the reader restores from their values.
// EXPECT: fork * x2
// EXPECT: join * x2
// EXPECT: external-write * x0
// EXPECT: write turn >=20
// EXPECT-OUTPUT: 20 turns, last 19
// FLAGS: -pthread
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static volatile int turn;
static int last = -1;
static int turns;

static void* take(void* argument) {
  const int mine = *(int*)argument;
  for (int i = mine; i < 20; i += 2) {
    while (turn != i) sched_yield();
    last = i;
    ++turns;
    turn = i + 1;
  }
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  int numbers[2] = {0, 1};
  for (int t = 0; t < 2; ++t) pthread_create(&threads[t], NULL, take, &numbers[t]);
  for (int t = 0; t < 2; ++t) pthread_join(threads[t], NULL);
  printf("%d turns, last %d\n", turns, last);
  return 0;
}
