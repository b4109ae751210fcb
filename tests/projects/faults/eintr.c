// A timer interrupts calls that block, and its handler does not ask for them to be restarted: each
// of them fails with EINTR sooner or later, and is made again. Prints whether all arrived, and
// whether some call was interrupted.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kRounds = 300 };
static int pipe_ends[2];
static sem_t taken;
static atomic_int interrupted;
static atomic_long sum;

static void on_alarm(int number) { (void)number; }

#define AGAIN(call)                                                                                                    \
  ({                                                                                                                   \
    long result_;                                                                                                      \
    while ((result_ = (call)) < 0 && errno == EINTR) ++interrupted;                                                    \
    result_;                                                                                                           \
  })

static void* reader(void* unused) {
  for (int i = 0; i < kRounds; ++i) {
    int value = 0;
    struct pollfd wait = {pipe_ends[0], POLLIN, 0};
    AGAIN(poll(&wait, 1, -1));
    if (AGAIN(read(pipe_ends[0], &value, sizeof value)) == sizeof value) sum += value;
    sem_post(&taken);
  }
  return unused;
}

int main(void) {
  struct sigaction action = {.sa_handler = on_alarm};
  const struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
  pthread_t thread;
  sem_init(&taken, 0, 0);
  if (pipe(pipe_ends) != 0) return 1;
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &often, NULL);
  pthread_create(&thread, NULL, reader, NULL);
  for (int i = 0; i < kRounds; ++i) {
    const struct timespec moment = {0, 1000000};
    if (nanosleep(&moment, NULL) != 0 && errno == EINTR) ++interrupted;
    if (AGAIN(write(pipe_ends[1], &i, sizeof i)) != sizeof i) return 1;
    AGAIN(sem_wait(&taken));
    const int file = (int)AGAIN(open("/dev/null", O_WRONLY));
    AGAIN(write(file, &i, sizeof i));
    close(file);
  }
  const pid_t child = fork();
  if (child == 0) _exit(5);
  int status = 0;
  AGAIN(waitpid(child, &status, 0));
  setitimer(ITIMER_REAL, &never, NULL);
  pthread_join(thread, NULL);
  printf("%ld %d %d\n", atomic_load(&sum), interrupted > 0, WEXITSTATUS(status));
  return 0;
}
