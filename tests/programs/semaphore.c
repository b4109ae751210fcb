// Two threads take turns by semaphores; then requests that are refused.
// EXPECT: sem-init * x2
// EXPECT: sem-post * x10
// EXPECT: sem-wait * x10
// EXPECT: sem-wait!failed * x3
// EXPECT: sem-destroy * x2
// EXPECT-OUTPUT: ping pong ping pong ping pong ping pong ping pong
// EXPECT-OUTPUT: again timeout timeout
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static sem_t ping, pong;

static void* answer(void* unused) {
  for (int i = 0; i < 5; ++i) {
    sem_wait(&ping);
    printf("pong%s", i == 4 ? "\n" : " ");
    sem_post(&pong);
  }
  return unused;
}

static const char* refusal(int result) {
  return result == 0 ? "?" : errno == EAGAIN ? "again" : errno == ETIMEDOUT ? "timeout" : "?";
}

int main(void) {
  const struct timespec past = {1, 0};
  pthread_t thread;
  sem_init(&ping, 0, 0);
  sem_init(&pong, 0, 0);
  pthread_create(&thread, NULL, answer, NULL);
  for (int i = 0; i < 5; ++i) {
    printf("ping ");
    sem_post(&ping);
    sem_wait(&pong);
  }
  pthread_join(thread, NULL);
  printf("%s ", refusal(sem_trywait(&ping)));
  printf("%s ", refusal(sem_timedwait(&ping, &past)));
  printf("%s\n", refusal(sem_clockwait(&ping, CLOCK_MONOTONIC, &past)));
  sem_destroy(&ping);
  sem_destroy(&pong);
  return 0;
}
