// A thread waits for a signal that another one sends to the process when its work is done. Or it does not wait.
// EXPECT: race work
#include <signal.h>
#include <unistd.h>

#include "pair.h"

int work;

void* worker(void* unused) {
  work = 1;
  kill(getpid(), SIGUSR1);
  return unused;
}

int main(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  int number = 0;
  if (!BAD) sigwait(&set, &number);
  ++work;
  pthread_join(thread, NULL);
  return 0;
}
