// A program forks while another thread is inside atomic operations. The child, and the program's
// own fork handlers, use the same atomics.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_long shared[64];
static atomic_int stop;

static void* work(void* unused) {
  while (!atomic_load(&stop))
    for (int i = 0; i < 64; ++i) atomic_fetch_add(&shared[i], 1);
  return unused;
}

static void use_all(void) {
  for (int i = 0; i < 64; ++i) atomic_fetch_add(&shared[i], 1);
}

int main(void) {
  pthread_t threads[2];
  pthread_atfork(NULL, NULL, use_all);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  int fine = 0;
  for (int i = 0; i < 100; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      use_all();
      _exit(5);
    }
    int status = 0;
    waitpid(child, &status, 0);
    fine += WIFEXITED(status) && WEXITSTATUS(status) == 5;
  }
  atomic_store(&stop, 1);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  printf("%d\n", fine);
  return 0;
}
