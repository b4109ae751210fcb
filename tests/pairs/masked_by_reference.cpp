// A counter behind a reference hides a race on y. In the good one its value goes to a function,
// which decides by it.
// EXPECT: race y
// MODELS: full
#include <sooth/sooth.h>

#include "pair.h"

extern "C" SOOTH_LOOKS_AT_NOTHING void at(int turn);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int y;

__attribute__((noinline)) void write_if(int count) {
  if (count == 2) y = 2;
}

__attribute__((noinline)) void count(int& counter) {
  pthread_mutex_lock(&lock);
  counter++;
  pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) void count_and_write(int& counter) {
  pthread_mutex_lock(&lock);
  counter++;
  const int now = BAD ? 2 : counter;
  pthread_mutex_unlock(&lock);
  write_if(now);
}

int shared;

void* one(void* unused) {
  y = 1;
  count(shared);
  at(0);
  return unused;
}

void* two(void* unused) {
  at(1);
  count_and_write(shared);
  return unused;
}

int main() {
  run_both(one, two);
  return y == 0;
}
