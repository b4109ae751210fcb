// Detached in three ways: by the parent, by itself, by its attributes. A semaphore says when all are done.
// EXPECT: fork * x3
// EXPECT: detach * x3
// EXPECT: join * x0
// EXPECT: sem-wait * x9
// EXPECT-OUTPUT: 3 done
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t done;
static sem_t go;

static void* work(void* detaches_itself) {
  if (detaches_itself != NULL) pthread_detach(pthread_self());
  sem_wait(&go);
  sem_post(&done);
  return NULL;
}

int main(void) {
  pthread_attr_t detached;
  pthread_t thread;
  sem_init(&done, 0, 0);
  sem_init(&go, 0, 3);
  for (int i = 0; i < 3; ++i) sem_wait(&go);
  for (int i = 0; i < 3; ++i) sem_post(&go);
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  pthread_create(&thread, NULL, work, NULL);
  pthread_detach(thread);
  pthread_create(&thread, NULL, work, &done);
  pthread_create(&thread, &detached, work, NULL);
  for (int i = 0; i < 3; ++i) sem_wait(&done);
  puts("3 done");
  return 0;
}
