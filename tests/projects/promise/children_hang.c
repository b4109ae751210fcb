// Children: a forked child locks a mutex twice, and the parent waits for it. Ended by --timeout.
// OPTIONS: --timeout 2
// FOUND: deadlock
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int main(void) {
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); // nobody is left behind
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
  }
  waitpid(child, NULL, 0);
}
