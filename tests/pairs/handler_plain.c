// A signal handler changes what the thread is counting. Only volatile sig_atomic_t and lock-free
// atomics may be shared with a handler.
// EXPECT: race * @thread @handler
// SUPPRESSED-BY: race:on_signal
#include <signal.h>
#include <stdatomic.h>

#include "pair.h"

#if BAD
int count;
#else
volatile sig_atomic_t count;
#endif
static atomic_int came;

static void on_signal(int number) {
  count = number; // @handler
  atomic_store(&came, 1);
}

static void* send(void* to) {
  at(1);
  pthread_kill(*(pthread_t*)to, SIGUSR1);
  return NULL;
}

int main(void) {
  pthread_t self = pthread_self(), thread;
  signal(SIGUSR1, on_signal);
  pthread_create(&thread, NULL, send, &self);
  count = 1; // @thread
  at(0);
  while (!atomic_load(&came)) {
  }
  pthread_join(thread, NULL);
  return 0;
}
