// A signal handler changes errno. The thread may be about to look at it when the signal comes.
// EXPECT: signal-errno *
// SUPPRESSED-BY: signal:on_signal
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "pair.h"

static atomic_int came;

static void on_signal(int number) {
  (void)number;
  const int before = errno;
  close(-1);
  if (!BAD) errno = before;
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
  return 0;
}
