// A thread that libc makes when a timer expires comes after whatever was done before. The error: what is done when it runs.
// EXPECT: race data @main @timer
// FLAGS: -D_GNU_SOURCE
#include <semaphore.h>
#include <signal.h>
#include <time.h>

#include "pair.h"

int data;
static sem_t done;

static void expired(union sigval value) {
  data += value.sival_int; // @timer
  if (BAD) at(0);
  sem_post(&done);
}

int main(void) {
  timer_t timer;
  struct sigevent event = {0};
  const struct itimerspec soon = {{0, 0}, {0, 1}};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = expired;
  event.sigev_value.sival_int = 2;
  sem_init(&done, 0, 0);
  data = 1;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &soon, NULL) != 0) return 1;
  if (BAD) at(1);
  else sem_wait(&done);
  data += 1; // @main
  if (BAD) sem_wait(&done);
  return 0;
}
