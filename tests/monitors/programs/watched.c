/* C, and a variable on the heap that SOOTH_WATCH names; read-write locks, conditions, barriers and semaphores order it. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sooth/monitor.h>
#include <sooth/sooth.h>

struct tank {
  long other;
  int level;
};
static struct tank* tank;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static int ready, unordered;

static void* pump(void* argument) {
  pthread_rwlock_wrlock(&rwlock);
  tank->level += 1;
  pthread_rwlock_unlock(&rwlock);
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  pthread_barrier_wait(&barrier);
  sem_wait(&semaphore);
  tank->level += 1; /* ordered by the semaphore */
  return argument;
}

int main(int argc, char** argv) {
  pthread_t thread;
  tank = malloc(sizeof *tank);
  unordered = argc > 1 && strcmp(argv[1], "unordered") == 0;
  tank->level = 0;
  SOOTH_WATCH("level", tank->level);
  pthread_barrier_init(&barrier, NULL, 2);
  sem_init(&semaphore, 0, 0);
  pthread_create(&thread, NULL, pump, NULL);
  pthread_mutex_lock(&mutex);
  while (!ready) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  pthread_rwlock_rdlock(&rwlock);
  const int seen = tank->level;
  pthread_rwlock_unlock(&rwlock);
  pthread_barrier_wait(&barrier);
  tank->level += 1;
  if (unordered) {
    sem_post(&semaphore);
    tank->level += 1; /* races with the pump's last step */
  } else {
    tank->level += 1;
    sem_post(&semaphore);
  }
  pthread_join(thread, NULL);
  printf("%d\n", seen);
  free(tank);
  return 0;
}
