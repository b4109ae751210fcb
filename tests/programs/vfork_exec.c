// vfork and exec: the child's end is not the parent's.
// EXPECT: acquire * x2
// EXPECT-TRACES: 1
// EXPECT-OUTPUT: from the child
// EXPECT-OUTPUT: child 0
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
  int status = 1;
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  const pid_t child = vfork();
  if (child == 0) {
    execl("/bin/echo", "echo", "from the child", (char*)NULL);
    _exit(127);
  }
  waitpid(child, &status, 0);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  printf("child %d\n", WEXITSTATUS(status));
  return 0;
}
