// Children: two threads of a forked child write without a lock. The parent only waits.
// FOUND: race
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
int value;
void* work(void* unused) {
  value = 1;
  return unused;
}
int main(void) {
  if (fork() == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    value = 2;
    pthread_join(thread, NULL);
    _exit(0);
  }
  wait(NULL);
}
