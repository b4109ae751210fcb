/* What the programs of this folder share. Each is built twice: with BAD defined to 1, it has the error that its comment
 * names; with 0, it does not. */
#ifndef PAIR_H
#define PAIR_H

#include <pthread.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Turns are taken in ascending order, from 0; a thread that comes early waits. This orders the recorded run, and no other:
 * Sooth does not see it. */
void at(int turn);

/* will_sleep: the calling thread is about to wait. until_asleep returns when that one sleeps in the kernel, in a futex. */
void will_sleep(void);
void until_asleep(void);

/* Returns when the main thread is the only one that is left. */
void until_alone(void);

typedef void* (*Body)(void*);

static inline __attribute__((unused)) void run_both(Body first, Body second) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, first, NULL);
  pthread_create(&threads[1], NULL, second, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
}

#ifdef __cplusplus
}
#endif
#endif
