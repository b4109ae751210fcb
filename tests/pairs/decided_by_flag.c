// A flag under a lock tells that y is ready. A thread that asks it before touching y does not race; one that only copies it does.
// EXPECT: race y @ready @use
// FLAGS: -fsooth-facts
// MODELS: full sliced
#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int ready, seen, y;

static int ask(void) {
  pthread_mutex_lock(&lock);
  int answer = ready;
  pthread_mutex_unlock(&lock);
  return answer;
}

void* one(void* unused) {
  y = 1; // @ready
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_mutex_unlock(&lock);
  at(0);
  return unused;
}

void* two(void* unused) {
  at(1);
  int answer = ask();
  if (BAD) seen = answer;
  else if (answer == 0) return unused;
  y = 2; // @use
  return unused;
}

int main(void) {
  run_both(one, two);
  return 0;
}
