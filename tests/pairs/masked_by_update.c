// Seed 002, Fig. 1: two writes of y race, and the recorded run hides it behind updates of x, on which nothing depends.
// EXPECT: race y @first @second
// FLAGS: -fsooth-facts
// MODELS: full sliced
#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int x, y;

void* one(void* unused) {
  if (!BAD) pthread_mutex_lock(&lock);
  y = 1; // @first
  if (!BAD) pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  x = x + 1;
  pthread_mutex_unlock(&lock);
  at(0);
  return unused;
}

void* two(void* unused) {
  at(1);
  pthread_mutex_lock(&lock);
  x = x + 1;
  pthread_mutex_unlock(&lock);
  if (!BAD) pthread_mutex_lock(&lock);
  y = 2; // @second
  if (!BAD) pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  run_both(one, two);
  return 0;
}
