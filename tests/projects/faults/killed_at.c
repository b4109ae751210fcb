// Two threads take turns with accesses, locks, atomics and allocations. The process kills itself
// before step number N of these (its argument; 0: never). It prints what it did so far.
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kRounds = 12 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t turn;
static long under_lock, steps_left, values[4];
static atomic_long by_atomics;

static void step(void) {
  if (--steps_left != 0) return;
  printf("%ld %ld\n", under_lock, atomic_load(&by_atomics));
  fflush(stdout);
  kill(getpid(), SIGKILL);
}

static void work(int who) {
  step();
  values[who] += 1;
  step();
  pthread_mutex_lock(&lock);
  step();
  under_lock += values[who];
  pthread_mutex_unlock(&lock);
  step();
  atomic_fetch_add(&by_atomics, 1);
  step();
  free(malloc(16));
  step();
}

static void* run(void* unused) {
  for (int round = 0; round < kRounds; ++round) {
    pthread_barrier_wait(&turn); // the other thread's turn
    pthread_barrier_wait(&turn);
    work(1);
  }
  return unused;
}

int main(int count, char** arguments) {
  pthread_t thread;
  steps_left = count > 1 ? atol(arguments[1]) : 0;
  pthread_barrier_init(&turn, NULL, 2);
  pthread_create(&thread, NULL, run, NULL);
  for (int round = 0; round < kRounds; ++round) {
    pthread_barrier_wait(&turn);
    work(0);
    pthread_barrier_wait(&turn);
  }
  pthread_join(thread, NULL);
  printf("%ld %ld\n", under_lock, atomic_load(&by_atomics));
  return 0;
}
