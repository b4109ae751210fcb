// A thread and its signal handler change the same list. The thread has to block the signal.
// EXPECT: race * @thread @handler
#include <signal.h>
#include <stdatomic.h>

#include "pair.h"

long entries[2];
static atomic_int came;

static void on_signal(int number) {
  entries[1] = entries[0] + number; // @handler
  atomic_store(&came, 1);
}

static void* send(void* to) {
  at(1);
  pthread_kill(*(pthread_t*)to, SIGUSR1);
  at(2);
  return NULL;
}

int main(void) {
  pthread_t self = pthread_self(), thread;
  sigset_t signals, before;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  signal(SIGUSR1, on_signal);
  pthread_create(&thread, NULL, send, &self);
  if (!BAD) pthread_sigmask(SIG_BLOCK, &signals, &before);
  entries[0] = 1; // @thread
  at(0);
  if (!BAD) {
    at(3);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
  }
  while (!atomic_load(&came)) {
  }
  pthread_join(thread, NULL);
  return 0;
}
