// Threads that tell each other through the world outside: a signal that is waited for, a counter, queues, a semaphore of System V, a
// file that appears, a name that is made, a fifo that is opened, a stream over a pipe, a child that ends. What was written before is read after.
// EXPECT: race early @write @read
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pair.h"

enum { SIGNAL, COUNTER, QUEUE, SEMAPHORE, APPEARS, NAME, FIFO, STREAM, CHILD, WAYS };
int data[WAYS], early, sum;
static sigset_t signals;
static int counter, queue, semaphore, ends[2], pipe_ends[2];
static FILE* stream;
static pthread_t main_thread;
struct message {
  long type;
  char text[8];
};

static void tell(int way) {
  struct message message = {1, "ready"};
  struct sembuf give = {0, 1, 0};
  switch (way) {
  case SIGNAL: pthread_kill(main_thread, SIGUSR1); break;
  case COUNTER: eventfd_write(counter, 1); break;
  case QUEUE: msgsnd(queue, &message, sizeof message.text, 0); break;
  case SEMAPHORE: semop(semaphore, &give, 1); break;
  case APPEARS: close(open("appears", O_CREAT | O_WRONLY, 0600)); break;
  case NAME:
    if (symlink("nowhere", "name") != 0) abort();
    break;
  case FIFO: close(open("fifo", O_WRONLY)); break;
  case STREAM:
    fputc('x', stream);
    fflush(stream);
    break;
  case CHILD: close(ends[1]); break;
  }
}

static void wait_for(int way) {
  int number;
  eventfd_t value;
  struct message message;
  struct sembuf take = {0, -1, 0};
  siginfo_t info;
  struct stat status;
  pid_t child;
  switch (way) {
  case SIGNAL: sigwait(&signals, &number); break;
  case COUNTER: eventfd_read(counter, &value); break;
  case QUEUE: msgrcv(queue, &message, sizeof message.text, 0, 0); break;
  case SEMAPHORE: semop(semaphore, &take, 1); break;
  case APPEARS:
    while (access("appears", F_OK) != 0) sched_yield();
    break;
  case NAME:
    while (lstat("name", &status) != 0) sched_yield();
    break;
  case FIFO: close(open("fifo", O_RDONLY)); break;
  case STREAM:
    if (read(pipe_ends[0], &message, 1) != 1) abort();
    break;
  case CHILD:
    child = vfork();
    if (child == 0) execl("/bin/sh", "sh", "-c", "read line <&9", NULL);
    waitid(P_PID, (id_t)child, &info, WEXITED);
    break;
  }
}

void* writer(void* unused) {
  if (BAD) at(1);
  if (BAD) early = 1; // @write
  for (int way = 0; way < WAYS; ++way) {
    data[way] = way;
    tell(way);
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  main_thread = pthread_self();
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
  counter = eventfd(0, 0);
  queue = msgget(IPC_PRIVATE, 0600);
  semaphore = semget(IPC_PRIVATE, 1, 0600);
  if (pipe(pipe_ends) != 0 || (stream = fdopen(pipe_ends[1], "w")) == NULL) return 1;
  if (mkfifo("fifo", 0600) != 0 || pipe2(ends, O_CLOEXEC) != 0 || dup2(ends[0], 9) != 9) return 1;
  pthread_create(&thread, NULL, writer, NULL);
  if (BAD) sum = early; // @read
  if (BAD) at(0);
  for (int way = 0; way < WAYS; ++way) {
    wait_for(way);
    sum += data[way];
  }
  pthread_join(thread, NULL);
  msgctl(queue, IPC_RMID, NULL);
  semctl(semaphore, 0, IPC_RMID);
  return unlink("appears") + unlink("name") + unlink("fifo");
}
