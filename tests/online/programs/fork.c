// A child process is not observed, and the parent still is. Another program is started by exec, too.
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

volatile int phase = 0;

int main(void) {
  phase = 1;
  const pid_t child = fork();
  if (child == 0) {
    phase = 99; // in the child's own memory
    _exit(phase == 99 ? 3 : 4);
  }
  int status = 0;
  waitpid(child, &status, 0);
  phase = 2;
  printf("%d %d\n", phase, WEXITSTATUS(status));
  return 0;
}
