// A race that critical sections about something else hide: they touch no common variable, so they may be swapped.
// EXPECT: race value @first @second
#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
int value, ours, theirs;

static void section(pthread_mutex_t* mutex, int* what) {
  pthread_mutex_lock(mutex);
  ++*what;
  pthread_mutex_unlock(mutex);
}
void* first(void* unused) {
  if (!BAD) pthread_mutex_lock(&other);
  value = 1; // @first
  if (!BAD) pthread_mutex_unlock(&other);
  section(&lock, &ours);
  section(&lock, &ours);
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  section(&lock, &theirs);
  section(&lock, &theirs);
  if (!BAD) pthread_mutex_lock(&other);
  value = 2; // @second
  if (!BAD) pthread_mutex_unlock(&other);
  return unused;
}

int main(void) {
  run_both(first, second);
  return 0;
}
