// Like assertion_between_sections.c, but the program does not assert: it prints, and exits with a
// failing status. The recorded run ends well.
// EXPECT: assertion busy @check @set
// MODELS: maximal
// NOTE: `busy` is 1 there, and the program calls
// SUPPRESSED-BY: assertion:busy
#include <stdio.h>
#include <stdlib.h>

#include "pair.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int busy;

void fail(const char* text) {
  fprintf(stderr, "%s\n", text);
  exit(EXIT_FAILURE);
}

void* worker(void* unused) {
  pthread_mutex_lock(&lock);
  busy = 1; // @set
  if (BAD) {
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
  }
  busy = 0;
  pthread_mutex_unlock(&lock);
  at(0);
  return unused;
}
void* checker(void* unused) {
  at(1);
  pthread_mutex_lock(&lock);
  const int seen = busy; // @check
  pthread_mutex_unlock(&lock);
  if (seen != 0) fail("busy");
  return unused;
}

int main(void) {
  run_both(worker, checker);
  return 0;
}
