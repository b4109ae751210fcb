// A signal handler allocates. The thread may be inside of malloc when the signal comes.
// EXPECT: signal-unsafe * @malloc
// SUPPRESSED-BY: signal:on_signal
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "pair.h"

static atomic_int came;
static void* volatile room;

static void on_signal(int number) {
  (void)number;
  if (BAD) room = malloc(8); // @malloc
  atomic_store(&came, 1);
}

static void* send(void* to) {
  pthread_kill(*(pthread_t*)to, SIGUSR1);
  return NULL;
}

int main(void) {
  pthread_t self = pthread_self(), thread;
  signal(SIGUSR1, on_signal);
  pthread_create(&thread, NULL, send, &self);
  while (!atomic_load(&came)) {
  }
  pthread_join(thread, NULL);
  free(room);
  return 0;
}
