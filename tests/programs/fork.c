// fork: the child has a trace of its own and goes on recording.
// EXPECT: process-fork * x2
// EXPECT: acquire * x2
// EXPECT: thread-start * x3
// EXPECT-TRACES: 2
// EXPECT-OUTPUT: child 3
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void* work(void* unused) {
  pthread_mutex_lock(&lock);
  value = 3;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  int status = 0;
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  const pid_t child = fork();
  if (child == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    exit(value);
  }
  waitpid(child, &status, 0);
  printf("child %d\n", WEXITSTATUS(status));
  return 0;
}
