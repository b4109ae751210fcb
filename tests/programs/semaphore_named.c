// A named semaphore may be posted by other processes: only the order that was seen is recorded.
// EXPECT: hb-release * x1
// EXPECT: hb-acquire * x1
// EXPECT: sem-post * x0
// EXPECT-UNSUPPORTED: sem_open
// EXPECT-OUTPUT: passed
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static void* post(void* semaphore) {
  sem_post(semaphore);
  return NULL;
}

int main(void) {
  char name[64];
  pthread_t thread;
  snprintf(name, sizeof name, "/sooth-test-%ld", (long)getpid());
  sem_t* semaphore = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
  if (semaphore == SEM_FAILED) return 1;
  sem_unlink(name);
  pthread_create(&thread, NULL, post, semaphore);
  sem_wait(semaphore);
  pthread_join(thread, NULL);
  sem_close(semaphore);
  puts("passed");
  return 0;
}
