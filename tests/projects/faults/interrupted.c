// A timer interrupts a thread that loads an atomic all the time; its handler keeps events of its
// own, also during exit.
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

static atomic_int value, handled;
static volatile sig_atomic_t marks[64];

static void on_alarm(int number) {
  (void)number;
  for (int i = 0; i < 64; ++i) marks[i] = marks[i] + 1;
  atomic_fetch_add(&handled, 1);
}

// Runs while the process exits: the timer still ticks, and goes on when this is over.
static void at_the_end(void) {
  const int before = atomic_load(&handled);
  while (atomic_load(&handled) < before + 20) {
  }
}

int main(void) {
  struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
  const struct itimerval often = {{0, 300}, {0, 300}};
  atexit(at_the_end);
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &often, NULL);
  long loads = 0;
  while (atomic_load(&handled) < 400) {
    atomic_store(&value, (int)(loads & 7));
    for (int i = 0; i < 50; ++i) loads += atomic_load(&value) >= 0;
  }
  printf("%d\n", loads > 0);
  return 0;
}
